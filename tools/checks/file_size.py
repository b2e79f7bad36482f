"""No file is longer than 500 lines: code, scripts and documents; data and licences are exempt."""

import sys

from source import files, report, root_from_arguments

LIMIT = 500
TEXT = {".h", ".cc", ".py", ".md", ".cmake", ".txt", ".json", ".yaml", ".js", ".css", ".html", ""}
EXEMPT = ("data/", "fuzz/corpus/", "LICENSE")


def check(root):
    findings = []
    checked = 0
    for path in files(root, TEXT):
        name = str(path.relative_to(root))
        if name.startswith(EXEMPT):
            continue
        checked += 1
        lines = path.read_bytes().count(b"\n")
        if lines > LIMIT:
            findings.append(f"{name}: {lines} lines; at most {LIMIT} are allowed")
    return report(findings, checked, "files")


if __name__ == "__main__":
    sys.exit(check(root_from_arguments()))
