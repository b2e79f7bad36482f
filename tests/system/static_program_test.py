"""The static program needs nothing of the machine but its kernel."""

import os
import shutil
import subprocess

import pytest
from conftest import NODES, ROOT, TASKS, headroom

PROGRAM = ROOT / "build/static/headroom"
PACK = ["pack", "--placement", "best_fit,fgd", "--seeds", "42-43", "-o", "csv"]


def test_it_is_static_and_x86_64():
    kind = subprocess.run(["file", "-b", PROGRAM], capture_output=True, text=True, timeout=20).stdout
    assert "ELF 64-bit" in kind and "x86-64" in kind and "statically linked" in kind
    libraries = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, timeout=20)
    assert libraries.returncode != 0 and "not a dynamic executable" in libraries.stderr + libraries.stdout


def test_it_packs_in_an_empty_chroot_as_everywhere(tmp_path):
    shutil.copy(PROGRAM, tmp_path)
    shutil.copy(NODES, tmp_path / "nodes.csv")
    shutil.copy(TASKS, tmp_path / "tasks.csv")
    command = ["chroot", str(tmp_path), "/headroom", *PACK, "--nodes", "/nodes.csv", "--tasks", "/tasks.csv"]
    command += ["--report", "/report.html"]
    if os.geteuid() != 0:
        command = ["unshare", "--user", "--map-root-user", *command]
        if subprocess.run(command[:3] + ["true"], capture_output=True).returncode != 0:
            pytest.skip("chroot needs root or user namespaces")
    inside = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert inside.returncode == 0, inside.stderr
    outside = headroom(*PACK, "--nodes", tmp_path / "nodes.csv", "--tasks", tmp_path / "tasks.csv")
    assert inside.stdout == outside.out and len(inside.stdout.splitlines()) == 1 + 2 * 2 * 11
    assert sorted(p.name for p in tmp_path.iterdir()) == ["headroom", "nodes.csv", "report.html", "tasks.csv"]
