"""headroom simulate: bad input is refused with one line, and what it prints is the same every time."""

import csv
import json

import pytest
from conftest import ROOT, expect_refusal, headroom

SITE = ROOT / "examples/cluster.yaml"
HISTORY = ROOT / "examples/history.csv"
HEAD = "id,submit,gpus,ran,queue"
GOOD = "1,2026-11-02T00:00:00Z,1,1h,a"


def simulate(*flags, jobs=HISTORY, site=SITE):
    return headroom("simulate", site, "--jobs", jobs, "--policy", "headroom", *flags)


def history(folder, *rows, head=HEAD):
    path = folder / "jobs.csv"
    path.write_text("".join(row + "\n" for row in (head, *rows)))
    return path


@pytest.mark.parametrize(
    ("row", "parts"),
    [
        ("2,-5,1,1h,a", ("submit", "-5")),
        ("2,2026-11-02T00:00:00Z,1,-1h,a", ("ran", "-1h")),
        ("2,2026-11-02T00:00:00Z,-1,1h,a", ("gpus", "-1")),
    ],
)
def test_a_row_that_cannot_be(tmp_path, row, parts):
    jobs = history(tmp_path, GOOD, row)
    expect_refusal(simulate(jobs=jobs), "jobs.csv:3: ", *parts)
    lenient = simulate("--lenient", "-o", "json", jobs=jobs)
    assert lenient.code == 0, lenient.err
    assert "1 row left out" in lenient.err
    run = json.loads(lenient.out)["runs"][0]
    assert (run["jobs"], run["skipped"]) == (1, 1)


@pytest.mark.parametrize(
    ("start", "end", "parts"),
    [
        ("2026-11-02T02:00:00Z", "2026-11-02T01:00:00Z", ("end", "before it starts")),
        ("2026-11-01T02:00:00Z", "2026-11-02T01:00:00Z", ("start", "before it is submitted")),
    ],
)
def test_times_that_cannot_be(tmp_path, start, end, parts):
    row = f"1,2026-11-02T00:00:00Z,{start},{end},1,a"
    jobs = history(tmp_path, row, head="id,submit,start,end,gpus,queue")
    expect_refusal(simulate(jobs=jobs), "jobs.csv:2: ", *parts)


def test_two_jobs_with_one_id(tmp_path):
    expect_refusal(simulate(jobs=history(tmp_path, GOOD, GOOD)), "jobs.csv", "id", "1 is there twice")


def test_jobs_that_wait_for_each_other(tmp_path):
    jobs = history(tmp_path, GOOD + ",ok:2", "2,2026-11-02T00:00:00Z,1,1h,a,ok:1", head=HEAD + ",after")
    expect_refusal(simulate(jobs=jobs), "jobs.csv", "circle")


def test_a_job_larger_than_any_state_of_the_cluster_is_rejected(tmp_path):
    jobs = history(tmp_path, GOOD + ",1", "2,2026-11-02T00:00:00Z,8,1h,a,1000", head=HEAD + ",tasks")
    outcome = simulate("-o", "json", jobs=jobs)
    assert outcome.code == 0, outcome.err
    run = json.loads(outcome.out)["runs"][0]
    assert (run["jobs"], run["rejected"], run["unfinished"]) == (1, 1, 0)
    assert run["rejected_by"]["too_large_for_the_cluster"] == 1


DUMP = """JobID|Cluster|State|Submit|Start|End|Elapsed|AllocTRES|Account|User
1|east|COMPLETED|2026-11-02T00:00:00|2026-11-02T00:00:10|2026-11-02T01:00:10|01:00:00|cpu=8,gres/gpu=1|a|u
2|west|COMPLETED|2026-11-02T00:00:00|2026-11-02T00:00:10|2026-11-02T01:00:10|01:00:00|cpu=8,gres/gpu=1|a|u
"""


def test_two_clusters_in_one_dump(tmp_path):
    dump = tmp_path / "dump.txt"
    dump.write_text(DUMP)
    expect_refusal(simulate(jobs=dump), "dump.txt:3", "east", "west", "--cluster")
    one = simulate("--cluster", "west", "-o", "json", jobs=dump)
    assert one.code == 0, one.err
    assert json.loads(one.out)["runs"][0]["jobs"] == 1


def test_a_dump_cut_in_the_middle_of_a_line(tmp_path):
    dump = tmp_path / "dump.txt"
    dump.write_text(DUMP[:-30])
    expect_refusal(simulate("--cluster", "east", jobs=dump), "dump.txt:3", "middle of a line")
    lenient = simulate("--cluster", "east", "--lenient", jobs=dump)
    assert lenient.code == 0, lenient.err
    assert "1 row left out: the row cannot be read" in lenient.err


@pytest.mark.parametrize(
    ("flags", "parts"),
    [
        (["--set", "queues.reserch.weight=2"], ("--set", "reserch", "did you mean research?")),
        (["--set", "queues.research.wieght=2"], ("wieght", "did you mean weight?")),
        (["--set", "queues.research.weight=0"], ("weight", "0", "1..1000000")),
        (["--set", "queues.research.guarantee.h100=999"], ("overcommitted", "999", "256")),
        (["--set", "queues.research"], ("--set", "KEY=VALUE")),
        (["--set", "nodse=3"], ("did you mean nodes?",)),
        (["--sweep", "nodes=8-32:8"], ("--sweep", "nodes=8", "overcommitted")),
        (["--sweep", "nodes=32-30"], ("--sweep", "nodes", "32-30")),
        (["--sweep", "nodes=1-99999"], ("--sweep", "10000")),
        (["--policy", "fair"], ("--policy", "fair")),
        (["--placement", "best_fitt"], ("--placement", "best_fit")),
        (["--seeds", "5-1"], ("--seeds", "5-1")),
        (["--mtbf", "30"], ("--mtbf", "30")),
        (["--repair", "0min"], ("--repair", "above 0")),
        (["--checkpoint", "0min"], ("--checkpoint", "above 0")),
        (["--reservations", "-1"], ("--reservations",)),
        (["--faults", "none.csv"], ("none.csv",)),
        (["--job-log", "no/such/folder/log.csv"], ("--job-log", "no/such/folder")),
    ],
)
def test_a_wrong_flag(flags, parts):
    expect_refusal(simulate(*flags), *parts)


@pytest.mark.parametrize(
    ("row", "parts"),
    [
        ("h001,2026-11-02T10:00:00Z,2026-11-02T09:00:00Z", ("to", "not after from")),
        ("h999,2026-11-02T10:00:00Z,2026-11-02T11:00:00Z", ("node", "h999")),
        ("h001,-5,2026-11-02T11:00:00Z", ("from", "-5")),
        ("h001,2026-11-02T10:00:00Z", ("fields",)),
    ],
)
def test_a_wrong_outage(tmp_path, row, parts):
    faults = tmp_path / "faults.csv"
    faults.write_text(f"node,from,to\nh001,2026-11-02,2026-11-03\n{row}\n")
    expect_refusal(simulate("--faults", faults), "faults.csv:3", *parts)


def test_bad_input_leaves_no_job_log(tmp_path):
    log = tmp_path / "log.csv"
    expect_refusal(simulate("--job-log", log, "--set", "nodes=0"), "nodes=0")
    assert list(tmp_path.iterdir()) == []


def test_the_job_log_agrees_with_the_summary(tmp_path):
    log = tmp_path / "log.csv"
    outcome = simulate("--job-log", log, "--sweep", "nodes=24,32", "-o", "json")
    assert outcome.code == 0, outcome.err
    runs = json.loads(outcome.out)["runs"]
    with open(log) as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 120
    for run in runs:
        own = [row for row in rows if row["sweep.nodes"] == str(run["sweep"]["nodes"])]
        waits = [float(row["wait_s"]) for row in own if row["outcome"] != "rejected"]
        assert len(waits) == run["jobs"]
        assert sum(waits) / len(waits) == pytest.approx(run["wait_s"]["mean"])


def test_nothing_depends_on_the_number_of_threads():
    flags = ["--mtbf", "5d", "--seeds", "1-3", "--sweep", "nodes=24,32", "-o", "csv"]
    outcomes = [simulate("--threads", n, *flags) for n in (1, 3)]
    assert outcomes[0].code == 0, outcomes[0].err
    assert outcomes[0].out == outcomes[1].out
    assert len({row["digest"] for row in csv.DictReader(outcomes[0].out.splitlines())}) == 6
