"""The C++ files are as clang-format 19 writes them (.clang-format). To format: the command below
with -i instead of --dry-run."""

import subprocess
import sys

from source import cpp_files, report, root_from_arguments


def check(root):
    sources = cpp_files(root)
    result = subprocess.run(
        ["clang-format-19", "--dry-run", "-Werror", *sources],
        cwd=root, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    findings = [line for line in result.stderr.splitlines() if "error:" in line]
    if result.returncode != 0 and not findings:
        findings = [result.stderr or f"clang-format-19: exit {result.returncode}"]
    return report(findings, len(sources), "files")


if __name__ == "__main__":
    sys.exit(check(root_from_arguments()))
