"""The live system as its nodes come, go and fail, and as it is killed and started again: real
processes stand in for training on declared GPUs."""

import time

import pytest
from live_server import LiveServer

LAB = """\
cluster: lab
nodes:
  - {pool: a, count: 2, name: 'n[1-2]', gpu: {model: G2, count: 4, memory: 16GB}, cpu: 64, memory: 256GiB}
queues:
  - {name: red}
"""
MORE = LAB.replace("count: 2", "count: 3").replace("n[1-2]", "n[1-3]")
FEWER = LAB.replace("count: 2", "count: 1").replace("n[1-2]", "n1")


@pytest.fixture
def server():
    with LiveServer(LAB) as live:
        yield live


def busy(server, **more):
    """A job that holds all GPUs of a node, runs until it is told to stop, and runs now."""
    number = server.submit(**{"job": "busy", "queue": "red", "gpus": 4, "run": "exec sleep 600", **more})
    server.until_state(number, "running")
    return number


def node(server, name):
    answer = server.get(f"/nodes/{name}")
    assert answer.status == 200, answer
    return answer.json


def test_an_added_node_takes_waiting_work_at_once(server):
    busy(server), busy(server)
    waiting = server.submit(job="next", queue="red", gpus=4, run="exec sleep 600")
    why = server.until("a reason", lambda: server.get(f"/jobs/{waiting}/why").json.get("reason"))
    assert why["code"] == "resources", why

    dry = server.call("PUT", "/cluster?dryRun=true", MORE)
    assert dry.status == 200 and dry.json["changes"] == ["+ node n3 (a)"], dry
    assert len(server.get("/nodes").json["items"]) == 2
    before = server.get("/status").json["sequence"]
    changed = server.call("PUT", "/cluster", MORE)
    assert changed.status == 200 and changed.json["changes"] == ["+ node n3 (a)"], changed

    job = server.until_state(waiting, "running", "launching")
    assert job["nodes"] == ["n3"]
    # One cycle: the node, the start, and what the engine says of it; no record between.
    placed = next(one for one in job["timeline"] if one["event"] == "placed")
    assert placed["attempt"] == 1
    server.until_state(waiting, "running")
    assert server.get("/status").json["sequence"] <= before + 3
    assert server.get("/cluster").text == MORE


def test_a_bad_change_of_the_cluster_is_refused_whole(server):
    running = busy(server)
    here = server.job(running)["nodes"][0]
    for text, part in (
        (MORE.replace("G2, count: 4", "G2, count: 99"), "count"),
        (MORE.replace("cluster: lab", "cluster: other"), "other"),
        (MORE + "  - {name: red}\n", "red"),
        ("not: [yaml", "yaml"),
    ):
        answer = server.call("PUT", "/cluster", text)
        assert answer.status in (409, 422), (text, answer)
        assert part in answer.json["detail"], answer
    assert len(server.get("/nodes").json["items"]) == 2
    assert server.get("/cluster").text == LAB
    assert server.job(running)["nodes"] == [here]


def test_a_lost_node_requeues_its_gang_with_its_age(server):
    gang = busy(server, tasks=2)
    assert server.job(gang)["nodes"] == ["n1", "n2"]
    submitted = server.job(gang)["submitted"]
    later = server.submit(job="later", queue="red", gpus=4, tasks=2, run="exec sleep 600")

    lost = server.post("/nodes/n2/fail", {"reason": "no heartbeat"})
    assert lost.status == 200 and lost.json["state"] == "failed", lost
    job = server.until_state(gang, "waiting")
    assert job["submitted"] == submitted
    assert "node" in job["attempts"][0]["outcome"] or job["attempts"][0]["outcome"] == "lost", job
    server.until("its processes are gone", lambda: not tasks_of(server, gang))
    assert server.get(f"/jobs/{gang}/why").json["reason"]["code"] == "resources"

    back = server.post("/nodes/n2/recover")
    assert back.status == 200 and back.json["state"] == "ready", back
    job = server.until_state(gang, "running")  # before the younger one
    assert job["attempt"] == 2 and job["nodes"] == ["n1", "n2"]
    assert server.job(later)["state"] == "waiting"
    assert server.post("/nodes/n2/recover").status == 409  # it has not failed


def test_a_drain_waits_for_what_runs_and_lets_nothing_in(server):
    first = server.submit(job="short", queue="red", gpus=4, run="sleep 1.5")
    here = server.until_state(first, "running")["nodes"][0]
    drained = server.post(f"/nodes/{here}/drain", {"reason": "firmware"})
    assert drained.status == 200 and drained.json["state"] == "drained", drained
    other = busy(server)
    assert server.job(other)["nodes"] != [here]
    waiting = server.submit(job="next", queue="red", gpus=4, run="exec sleep 600")

    job = server.until_state(first, "completed")  # undisturbed
    assert job["attempt"] == 1 and job["exit_code"] == 0
    server.until("it is empty", lambda: not node(server, here)["jobs"])
    time.sleep(0.3)
    assert server.job(waiting)["state"] == "waiting"
    assert server.post(f"/nodes/{here}/undrain").json["state"] == "ready"
    assert server.until_state(waiting, "running")["nodes"] == [here]


def test_a_removed_node_is_gone_once_it_is_empty(server):
    running = busy(server)
    here = server.job(running)["nodes"][0]
    if here != "n2":
        running = busy(server)
    answer = server.call("PUT", "/cluster", FEWER)
    assert answer.status == 409 and "n2" in answer.json["detail"], answer
    server.post(f"/jobs/{running}/cancel")
    server.until_state(running, "cancelled")
    answer = server.call("PUT", "/cluster", FEWER)
    assert answer.status == 200 and answer.json["changes"] == ["- node n2"], answer
    assert [one["name"] for one in server.get("/nodes").json["items"]] == ["n1"]


def tasks_of(server, number):
    """Numbers of the processes of a job's tasks."""
    mark = f"HEADROOM_JOB_ID={number}".encode()
    found = []
    for process in server.processes():
        try:
            with open(f"/proc/{process}/environ", "rb") as file:
                variables = file.read().split(b"\0")
        except OSError:
            continue
        if mark in variables:
            found.append(process)
    return sorted(found)


def test_killed_and_started_again_it_is_as_before(server):
    running = busy(server)
    held = server.submit(job="held", queue="red", gpus=1, hold=True, run="true")
    done = server.submit(job="done", queue="red", gpus=1, run="exit 3")
    server.until_state(done, "failed")
    server.post("/nodes/n2/drain", {"reason": "kept"})
    processes = server.until("its process", lambda: tasks_of(server, running))

    def picture():
        jobs = {n: server.job(n) for n in (running, held, done)}
        fixed = [server.get(p).json["items"] for p in ("/nodes", "/gpus", "/queues", "/tokens", "/roles")]
        return jobs, fixed, server.get("/cluster").text

    before = picture()
    epoch = server.get("/status").json["epoch"]
    server.kill()
    server.start()
    assert picture() == before
    assert server.get("/status").json["epoch"] == epoch + 1
    assert tasks_of(server, running) == processes  # untouched

    server.stop()  # jobs go on then too
    assert tasks_of(server, running) == processes
    server.start()
    assert picture() == before
    assert server.post(f"/jobs/{running}/cancel").status == 200
    server.until_state(running, "cancelled")
    server.until("its processes are gone", lambda: not tasks_of(server, running))
    assert server.get("/jobs/4").status == 404
    assert server.submit(job="more", queue="red", gpus=1, run="true") == "4"  # no number twice
