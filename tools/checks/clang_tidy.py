"""clang-tidy 19 finds nothing in the core folders (.clang-tidy says what it looks for).

It costs seconds a file, so a file that was clean is looked at again only when it, a header of ours
that it includes, or .clang-tidy has changed (build/tidy/ remembers). Needs build/test configured.
"""

import hashlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from source import files, includes, report, root_from_arguments

FOLDERS = ("src/base", "src/model", "src/schedule", "src/simulate")
COMMANDS = "build/test"


def content(root, path, seen):
    """The bytes of a file and of our headers that it includes."""
    if path in seen or not path.is_file():
        return b""
    seen.add(path)
    parts = [path.read_bytes()]
    parts += [content(root, root / "src" / name, seen) for _, name, quoted in includes(path) if quoted]
    return b"\0".join(parts)


def findings_of(root, path):
    key = hashlib.sha256((root / ".clang-tidy").read_bytes() + content(root, path, set())).hexdigest()
    known_clean = root / "build/tidy" / f"{path.parent.name}-{path.stem}-{key[:16]}"
    if known_clean.is_file():
        return []
    result = subprocess.run(
        ["clang-tidy-19", "-p", COMMANDS, "--quiet", path],
        cwd=root, capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    skipped = "Skipping" in result.stderr  # a file without a compile command, which exits with 0
    if result.returncode == 0 and not skipped:
        known_clean.parent.mkdir(parents=True, exist_ok=True)
        known_clean.touch()
        return []
    lines = [line for line in result.stdout.splitlines() if "error:" in line]
    return lines or [f"{path}: clang-tidy: exit {result.returncode}: {result.stderr[-500:]}"]


def check(root):
    if not (root / COMMANDS / "compile_commands.json").is_file():
        print(f"{COMMANDS} is not configured: run cmake --preset test first")
        return 1
    sources = [p for p in files(root, {".cc"}, FOLDERS) if not p.stem.endswith("_test")]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        found = list(pool.map(lambda path: findings_of(root, path), sources))
    return report([line for lines in found for line in lines], len(sources), "files")


if __name__ == "__main__":
    sys.exit(check(root_from_arguments()))
