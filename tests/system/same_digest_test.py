"""The same seed gives the same digest in debug, release and address-sanitizer builds and for any
number of threads."""

import csv

import pytest
from conftest import NODES, ROOT, TASKS, headroom

SEEDS = "42-43"


def runs(build, threads=None, seconds=300):
    """{(placement, seed): digest} and the whole output."""
    arguments = ["pack", "--nodes", NODES, "--tasks", TASKS, "--seeds", SEEDS, "-o", "csv"]
    if threads:
        arguments += ["--threads", threads]
    outcome = headroom(*arguments, build=build, seconds=seconds)
    assert outcome.code == 0, outcome.err
    rows = list(csv.DictReader(outcome.out.splitlines()))
    return {(row["placement"], row["seed"]): row["digest"] for row in rows}, outcome.out


@pytest.fixture(scope="module")
def release():
    return runs("release")


def test_a_digest_tells_runs_apart(release):
    digests, _ = release
    assert len(digests) >= 2 * 6  # two seeds, at least the six published placements
    assert len(set(digests.values())) == len(digests)


@pytest.mark.parametrize("build", ["dev", "asan", "static"])
def test_another_build_gives_the_same(release, build):
    assert runs(build) == release


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_any_number_of_threads_gives_the_same(release, threads):
    assert runs("release", threads) == release


def replay(build, threads):
    outcome = headroom(
        "simulate", ROOT / "examples/cluster.yaml", "--jobs", ROOT / "examples/history.csv",
        "--policy", "fifo,easy,conservative,slurm,las,drf,drf_preempt,headroom", "--threads", threads, "-o", "csv",
        build=build, seconds=300,
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    assert len(outcome.out.splitlines()) == 9
    return outcome.out


@pytest.mark.parametrize("build", ["dev", "asan", "static"])
def test_a_replay_is_the_same_in_every_build(build):
    assert replay(build, 1) == replay("release", 3)


def generated(build, load, folder):
    outcome = headroom(
        "generate", load, "--seed", 11, "-o", folder / "jobs.csv", "--site", folder / "site.yaml", build=build,
        seconds=120,
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    assert outcome.out == ""
    return (folder / "jobs.csv").read_text(), (folder / "site.yaml").read_text()


@pytest.mark.parametrize("load", ["hpc", "mixed"])
def test_a_generated_load_is_the_same_in_every_build(load, tmp_path):
    release = generated("release", load, tmp_path)
    assert len(release[0].splitlines()) > 5000
    for build in ["dev", "asan", "static"]:
        assert generated(build, load, tmp_path) == release
