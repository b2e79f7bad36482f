"""Bad input ends with one line that names the place, exit code 2 and no output at all."""

import resource
import subprocess

import pytest
from conftest import NODES, ROOT, TASKS, expect_refusal, headroom


def pack(nodes, tasks, *more):
    return headroom("pack", "--nodes", nodes, "--tasks", tasks, "--seeds", "1", *more)


def changed(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return path


def test_the_small_files_are_good(small_nodes, small_tasks):
    outcome = pack(small_nodes, small_tasks)
    assert outcome.code == 0, outcome.err


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("786432,8,G2", "786432,-8,G2", ("nodes.csv:2", "gpu", "-8")),
        ("786432,8,G2", "786432,9,G2", ("nodes.csv:2", "gpu", "9")),
        ("393216,4,T4", "393216,4,T5", ("nodes.csv:3", "model", "T5")),
        ("393216,4,T4", "393216GiB,4,T4", ("nodes.csv:3", "memory_mib", "393216GiB")),
        ("131072,0,\n", "1310", ("nodes.csv:4",)),
        ("sn,cpu_milli", "sn,cpu", ("nodes.csv:1", "cpu_milli")),
    ],
)
def test_nodes(small_nodes, small_tasks, old, new, parts):
    expect_refusal(pack(changed(small_nodes, old, new), small_tasks), *parts)


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("16384,2,1000", "16384,-2,1000", ("tasks.csv:4", "num_gpu", "-2")),
        ("4096,1,300", "4096,1,1300", ("tasks.csv:3", "gpu_milli", "1300")),
        ("8000,16384", "8 cores,16384", ("tasks.csv:4", "cpu_milli", "8 cores")),
        ("t4,1000,1024,0,0,\n", "t4,1000", ("tasks.csv:5",)),
        ("1000,1024,0,0", "99999999999999999999,1024,0,0", ("tasks.csv:5", "cpu_milli")),
    ],
)
def test_tasks(small_nodes, small_tasks, old, new, parts):
    expect_refusal(pack(small_nodes, changed(small_tasks, old, new)), *parts)


def test_the_real_list_cut_in_the_middle_of_a_row(tmp_path):
    cut = tmp_path / "cut.csv"
    content = TASKS.read_bytes()[:300_010]
    cut.write_bytes(content)
    last_line = content.count(b"\n") + 1
    expect_refusal(pack(NODES, cut), f"cut.csv:{last_line}")


def test_a_file_that_is_not_there(small_nodes, tmp_path):
    expect_refusal(pack(small_nodes, tmp_path / "none.csv"), "none.csv")
    expect_refusal(pack(tmp_path, small_nodes), tmp_path)


def test_a_wrong_flag(small_nodes, small_tasks):
    expect_refusal(pack(small_nodes, small_tasks, "--placement", "best_fitt"), "best_fitt")
    expect_refusal(pack(small_nodes, small_tasks, "--arrive", "-1"), "-1")


def test_bad_input_leaves_no_report(small_nodes, small_tasks, tmp_path):
    report = tmp_path / "report.html"
    changed(small_tasks, "16384,2,1000", "16384,-2,1000")
    expect_refusal(pack(small_nodes, small_tasks, "--report", report))
    assert not report.exists()


# 1 GB; a sparse file, and one that repeats what looks like text. The program may use 2 GB.
@pytest.mark.parametrize("content", [b"\0", bytes(range(1, 256)), b"sn,cpu_milli,memory_mib,gpu,model\na,1"])
def test_a_gigabyte_of_garbage(tmp_path, small_tasks, content):
    garbage = tmp_path / "garbage.csv"
    with open(garbage, "wb") as file:
        if content == b"\0":
            file.truncate(1 << 30)
        else:
            block = content * ((1 << 20) // len(content))
            for _ in range((1 << 30) // len(block)):
                file.write(block)
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))  # noqa: E731
    result = subprocess.run(
        [ROOT / "build/release/headroom", "pack", "--nodes", garbage, "--tasks", small_tasks],
        capture_output=True, text=True, timeout=60, preexec_fn=limit, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    garbage.unlink()
    assert result.returncode == 2 and result.stdout == ""
    assert len(result.stderr.splitlines()) == 1 and "garbage.csv" in result.stderr
    assert len(result.stderr) < 1000


@pytest.mark.parametrize(
    ("flags", "parts"),
    [
        (("hcp",), ("hcp", "hpc")),
        (("hpc", "--seed", "-1"), ("--seed", "-1")),
        (("hpc", "--load", "11"), ("--load", "11")),
        (("hpc", "--days", "0.5"), ("--days", "0.5")),
        (("hpc", "--nodes", "90000"), ("nodes", "50000")),
        (("hpc", "--nodes", "9000", "--days", "100"), ("millions",)),
    ],
)
def test_a_load_that_cannot_be_generated(flags, parts, tmp_path):
    expect_refusal(headroom("generate", *flags, "-o", "jobs.csv", "--site", "site.yaml", cwd=tmp_path), *parts)
    assert not list(tmp_path.iterdir())


def test_a_site_that_cannot_be_written_leaves_no_jobs(tmp_path):
    outcome = headroom("generate", "mixed", "-o", "jobs.csv", "--site", "none/site.yaml", cwd=tmp_path)
    expect_refusal(outcome, "--site", "none/site.yaml")
    assert not list(tmp_path.iterdir())
