"""What the tests of the built program share. The programs are those that ./test builds."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NODES = ROOT / "data/openb/openb_node_list_gpu_node.csv"
TASKS = ROOT / "data/openb/openb_pod_list_default.csv"


@dataclass
class Outcome:
    code: int
    out: str
    err: str


def headroom(*arguments, build="release", seconds=60, cwd=None):
    """Runs build/BUILD/headroom."""
    program = ROOT / "build" / build / "headroom"
    result = subprocess.run(
        [str(word) for word in (program, *arguments)], stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=seconds, cwd=cwd,
    )  # fmt: skip
    return Outcome(result.returncode, result.stdout, result.stderr)


def expect_refusal(outcome, *parts):
    """One line that says what is wrong, with these parts in it; exit 2; nothing on stdout."""
    assert outcome.code == 2, outcome
    assert outcome.out == ""
    lines = outcome.err.splitlines()
    assert len(lines) == 1 and lines[0].startswith("headroom: "), outcome.err
    for part in parts:
        assert str(part) in lines[0], outcome.err


@pytest.fixture
def small_nodes(tmp_path):
    """A cluster of three nodes in openb's form."""
    path = tmp_path / "nodes.csv"
    path.write_text(
        "sn,cpu_milli,memory_mib,gpu,model\n"
        "a,96000,786432,8,G2\nb,96000,393216,4,T4\nc,32000,131072,0,\n"
    )
    return path


@pytest.fixture
def small_tasks(tmp_path):
    """A task list in openb's form: a whole GPU, a share, two GPUs, none."""
    path = tmp_path / "tasks.csv"
    path.write_text(
        "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n"
        "t1,4000,8192,1,1000,\nt2,2000,4096,1,300,T4\nt3,8000,16384,2,1000,\nt4,1000,1024,0,0,\n"
    )
    return path
