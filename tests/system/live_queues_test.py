"""Two users, two queues with guarantees on declared GPUs, CPU processes that stand in for training:
what is borrowed is seen and given back, and `why` names what a job really waits for."""

import os
import time

import pytest
from live_server import FINAL, LiveServer

CLUSTER = """\
cluster: lab
nodes:
  - {pool: a, count: 4, name: 'n[1-4]', gpu: {model: G2, count: 4, memory: 16GB}, cpu: 64, memory: 256GiB}
queues:
  - {name: red, guarantee: {a: 8}}
  - {name: blue, guarantee: {a: 4}, limit: {a: 8}}
"""
# Users that every Debian has; a job's process runs as its user.
ANA, BEN = "games", "man"

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="jobs of two users: needs root")


@pytest.fixture(scope="module")
def lab():
    with LiveServer(CLUSTER) as live:
        live.ana, live.ben = live.new_token(ANA), live.new_token(BEN)
        yield live


@pytest.fixture
def server(lab):
    yield lab
    for job in lab.get("/jobs?limit=1000").json["items"]:
        lab.post(f"/jobs/{job['id']}/cancel")
    lab.until("an empty cluster", lambda: not lab.get("/jobs").json["items"])


def training(server, token, queue, gpus, **more):
    job = {"job": "training", "queue": queue, "gpus": gpus, "run": "exec sleep 600", **more}
    return server.submit(token=token, **job)


def holds(server, queue):
    """(held, borrowed, wanted) GPUs."""
    pools = server.get(f"/queues/{queue}").json["pools"]
    pool = next(one for one in pools if one["pool"] == "a")
    return pool["held"], pool["borrowed"], pool["wanted"]


def why(server, number, token=None):
    """The reason of the last cycle, once there is one."""
    def reason():
        answer = server.get(f"/jobs/{number}/why", token=token)
        assert answer.status == 200, answer
        found = answer.json.get("reason")
        return found if found and found["code"] != "not_looked_at" else None

    found = server.until(f"a reason of job {number}", reason)
    assert server.job(number)["reason"] == found
    return found


def test_what_is_borrowed_is_seen_and_comes_back_first(server):
    red = [training(server, server.ana, "red", 4) for _ in range(4)]
    for number in red:
        server.until_state(number, "running")
    assert holds(server, "red") == (16, 8, 0)
    assert holds(server, "blue") == (0, 0, 0)
    listed = server.get("/jobs?queue=red&state=running", token=server.ben).json["items"]
    assert sum(one["gpus"] for one in listed) == 16 and {one["user"] for one in listed} == {ANA}

    older = training(server, server.ana, "red", 4)
    blue = training(server, server.ben, "blue", 4)
    assert why(server, blue, server.ben)["code"] == "resources"
    assert holds(server, "red") == (16, 8, 4) and holds(server, "blue") == (0, 0, 4)
    assert server.post(f"/jobs/{red[0]}/cancel", token=server.ana).status == 200
    server.until_state(blue, "running")  # below its guarantee: before red's older one
    assert server.job(older)["state"] == "waiting"
    assert holds(server, "red") == (12, 4, 4) and holds(server, "blue") == (4, 0, 0)


def test_a_job_runs_as_its_user(server):
    number = server.submit(token=server.ana, job="who", queue="red", run="id -un")
    server.until_state(number, "completed")
    assert server.get(f"/jobs/{number}/logs", token=server.ana).text == f"{ANA}\n"


def test_why_names_the_quota(server):
    first = training(server, server.ben, "blue", 4, tasks=2)
    server.until_state(first, "running")
    assert holds(server, "blue") == (8, 4, 0)
    second = training(server, server.ben, "blue", 1)
    reason = why(server, second, server.ben)  # though 8 GPUs are free
    assert reason["code"] == "quota" and "queue blue has 0 GPUs" in reason["text"], reason
    assert holds(server, "blue") == (8, 4, 1)

    never = training(server, server.ben, "blue", 4, tasks=3)
    job = server.until_state(never, "rejected")
    assert "may never have more than 8" in job["reason"]["text"], job


def test_why_names_fragmentation(server):
    small = [training(server, server.ana, "red", 3) for _ in range(4)]
    for number in small:
        server.until_state(number, "running")
    assert {one["gpus_free"] for one in server.get("/nodes").json["items"]} == {1}
    large = training(server, server.ana, "red", 4)
    reason = why(server, large, server.ana)
    assert reason["code"] == "fragmentation", reason
    assert "needs 4 GPUs of a; 4 GPUs of a free" in reason["text"], reason


def test_why_names_a_reservation(server):
    running = training(server, server.ana, "red", 4, tasks=3, time="10min")
    server.until_state(running, "running")
    # It may hold one once it has waited as long as it is expected to run.
    wide = training(server, server.ana, "red", 4, tasks=4, time="1s")
    assert why(server, wide, server.ana)["code"] == "resources"
    time.sleep(1.1)
    long = training(server, server.ana, "red", 4, time="2h")
    reason = why(server, long, server.ana)  # though 4 GPUs are free
    assert reason["code"] == "reservation" and f"job {wide}" in reason["text"], reason
    short = training(server, server.ana, "red", 4, time="1min")  # delays nobody
    server.until_state(short, "running")
    assert server.get(f"/jobs/{wide}/why", token=server.ana).json["planned"]


def test_why_names_what_else_keeps_a_job(server):
    held = training(server, server.ana, "red", 1, hold=True)
    assert why(server, held)["code"] == "hold"
    after = training(server, server.ana, "red", 1, after=[f"ok:{held}"])
    assert why(server, after)["code"] == "dependency"
    begin = training(server, server.ana, "red", 1, begin="2099-01-01T00:00:00Z")
    assert why(server, begin)["code"] == "begin"
    assert server.post(f"/jobs/{held}/release", token=server.ana).status == 200
    server.until_state(held, "running")
    assert "reason" not in server.job(held)
    assert server.job(held)["state"] not in FINAL
