"""Every header compiles alone: it includes what it uses."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from source import files, report, root_from_arguments

COMPILE = ["g++", "-std=c++20", "-fsyntax-only", "-Isrc", "-I.", "-xc++", "-"]


def findings_of(root, header):
    name = header.relative_to(root)
    result = subprocess.run(
        COMPILE, input=f'#include "{name}"\n', cwd=root, capture_output=True, text=True, timeout=120
    )
    if result.returncode == 0:
        return []
    return [f"{name}: does not compile alone:", *result.stderr.splitlines()[:10]]


def check(root):
    headers = files(root, {".h"}, ("src", "tests", "bench", "fuzz"))
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        findings = [f for found in pool.map(lambda h: findings_of(root, h), headers) for f in found]
    return report(findings, len(headers), "headers")


if __name__ == "__main__":
    sys.exit(check(root_from_arguments()))
