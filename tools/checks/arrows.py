"""The arrows between the folders of src/ point down only (docs/architecture.md).

A folder may include its own headers and those of the folders below it; the same holds for DEPENDS in
its CMakeLists.txt. (That the build makes other headers unreachable is shown by
build_arrows_test.py.)
"""

import re
import sys

from source import files, includes, report, root_from_arguments

ARROWS = {
    "base": [],
    "model": ["base"],
    "formats": ["model"],
    "performance": ["model"],
    "schedule": ["model"],
    "simulate": ["schedule", "performance"],
    "diagnose": ["simulate"],
    "plan": ["simulate"],
    "operate": ["simulate"],
    "engine": ["model"],  # records are types of the model: nobody here knows the scheduler
    "store": ["model"],
    "server": ["operate", "plan", "diagnose", "engine", "store", "formats"],
    "cli": ["server", "formats"],
}


def below(folder):
    """The folders that `folder` may use."""
    reached = set()
    for lower in ARROWS[folder]:
        reached |= {lower} | below(lower)
    return reached


def check_includes(root, path, folder):
    where = path.relative_to(root)
    for number, name, quoted in includes(path):
        first = name.split("/")[0]
        if ".." in name.split("/"):
            yield f"{where}:{number}: {name}: a header is named from its folder, without .."
        elif first in ARROWS and first not in below(folder) | {folder}:
            yield f"{where}:{number}: {folder} may not use {first} ({name})"
        elif quoted and not (root / "src" / name).is_file():
            yield f'{where}:{number}: no file src/{name} ("" is for our own headers)'


def check_cmake(root, path, folder):
    text = path.read_text()
    declared = re.search(r"headroom_module\(\s*\w+\s+DEPENDS((?:\s+[a-z]+)+)", text)
    for lower in declared[1].split() if declared else []:
        if lower not in below(folder):
            yield f"{path.relative_to(root)}: {folder} may not depend on {lower}"


def check(root):
    findings = []
    checked = files(root, {".h", ".cc"}, ("src",))
    for folder in sorted(p.name for p in (root / "src").iterdir() if p.is_dir()):
        if folder not in ARROWS:
            findings.append(f"src/{folder}: not in the table of arrows")
            continue
        for path in files(root, {".h", ".cc"}, (f"src/{folder}",)):
            findings += check_includes(root, path, folder)
        findings += check_cmake(root, root / "src" / folder / "CMakeLists.txt", folder)
    return report(findings, len(checked), "files")


if __name__ == "__main__":
    sys.exit(check(root_from_arguments()))
