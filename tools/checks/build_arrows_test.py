"""The build enforces the arrows: from a folder, the headers of a folder that it may not use cannot
be found. For each pair of folders a file with one #include is planted and compiled."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from arrows import below

ROOT = Path(__file__).resolve().parents[2]
HEADERS = {p.parent.name: f"{p.parent.name}/{p.name}" for p in sorted(ROOT.glob("src/*/*.h"), reverse=True)}
FOLDERS = sorted(HEADERS)
PAIRS = [(user, used) for user in FOLDERS for used in FOLDERS if user != used]


def object_of(user, used):
    return f"src/{user}/CMakeFiles/headroom_{user}.dir/planted_{used}.cc.o"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Plants all files, builds their objects and returns the build's output and folder."""
    tree = tmp_path_factory.mktemp("arrows") / "tree"
    for part in ("src", "cmake"):
        shutil.copytree(ROOT / part, tree / part)
    for file in ("CMakeLists.txt", "CMakePresets.json"):
        shutil.copy(ROOT / file, tree)
    for user, used in PAIRS:
        (tree / f"src/{user}/planted_{used}.cc").write_text(f'#include "{HEADERS[used]}"\n')
    subprocess.run(["cmake", "--preset", "release"], cwd=tree, check=True, capture_output=True, timeout=120)
    build = tree / "build/release"
    command = ["ninja", "-k", "0", *[object_of(*pair) for pair in PAIRS]]
    output = subprocess.run(command, cwd=build, capture_output=True, text=True, timeout=600).stdout
    return build, output


@pytest.mark.parametrize(("user", "used"), PAIRS)
def test_a_header_is_found_only_along_an_arrow(built, user, used):
    build, output = built
    compiled = (build / object_of(user, used)).is_file()
    if used in below(user):
        assert compiled, output[-2000:]
    else:
        missing = rf"src/{user}/planted_{used}\.cc:1:\d+: fatal error: {HEADERS[used]}: No such file"
        assert not compiled and re.search(missing, output), output[-2000:]
