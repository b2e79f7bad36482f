"""What the checks share: the files of the tree, and how a check reports.

A check is a program `check.py [ROOT]`: it prints `file:line: what is wrong` for each finding and
exits with 1 if there was any. ROOT is this repository unless a test of the check names another.
"""

import re
import sys
from pathlib import Path

OWN_ROOT = Path(__file__).resolve().parents[2]
GENERATED = {".git", "build", "out", "node_modules", "__pycache__"}


def root_from_arguments():
    return Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else OWN_ROOT


def files(root, suffixes=None, under=("",)):
    """The files below root/under, sorted; generated folders are left out."""
    found = []
    for folder in under:
        for path in (root / folder).rglob("*"):
            if GENERATED.isdisjoint(path.relative_to(root).parts) and path.is_file():
                if suffixes is None or path.suffix in suffixes:
                    found.append(path)
    return sorted(found)


def cpp_files(root):
    return files(root, {".h", ".cc"}, ("src", "tests", "bench", "fuzz"))


def includes(path):
    """(line number, name, is quoted) of each #include."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^">]+)[">]', line)
        if match:
            yield number, match[2], match[1] == '"'


TOKENS = re.compile(
    r"//[^\n]*|/\*.*?\*/"  # comments
    r'|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'  # texts
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])'",  # characters, not digit separators
    re.DOTALL,
)


def code_only(text):
    """The text with comments, texts and character constants blanked; lines stay where they are."""
    return TOKENS.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def report(findings, checked, what):
    """Prints the findings and returns the exit code. To have checked nothing is a failure."""
    for finding in findings:
        print(finding)
    if not checked:
        print(f"no {what} found to check")
        return 1
    print(f"{checked} {what} checked, {len(findings)} findings")
    return 1 if findings else 0
