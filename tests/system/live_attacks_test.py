"""What a hostile or careless client sends: refused clearly, while others are served meanwhile."""

import json
import re
import socket
import threading
import time

import pytest
from live_server import LiveServer

CLUSTER = """\
cluster: lab
nodes:
  - {pool: a, count: 2, name: 'n[1-2]', gpu: {model: G2, count: 4, memory: 16GB}, cpu: 64, memory: 256GiB}
queues:
  - {name: red}
  - {name: blue}
"""
PLANTED = "pLaNtEd-sEcReT-71c2"  # in environments and in wrong tokens
ROLES = {
    "items": [
        {"subject": "ana", "role": "user", "queue": "red"},
        {"subject": "ben", "role": "user", "queue": "blue"},
        {"subject": "*", "role": "viewer", "queue": "blue"},
    ]
}


@pytest.fixture(scope="module")
def server():
    with LiveServer(CLUSTER, arguments=["--log-level", "debug"]) as live:
        answer = live.call("PUT", "/roles", ROLES)
        assert answer.status == 200, answer
        live.ana = live.new_token("ana")
        live.ben = live.new_token("ben")
        yield live


@pytest.fixture(autouse=True)
def others_are_served(server):
    """While each of the tests runs, another client asks, and is answered at once."""
    over, waits, wrong = threading.Event(), [], []

    def ask():
        while not over.is_set():
            begin = time.monotonic()
            answer = server.get("/status", token=server.token)
            waits.append(time.monotonic() - begin)
            if answer.status != 200:
                wrong.append(answer)
            over.wait(0.02)

    thread = threading.Thread(target=ask)
    thread.start()
    yield
    over.set()
    thread.join()
    assert waits and not wrong, wrong
    assert max(waits) < 5, f"others waited {max(waits):.1f} s"  # beside builds, on two cores


def expect_problem(answer, status, *parts):
    """An answer that says what is wrong, as problem+json, on one line and with an id."""
    assert answer.status == status, answer
    assert answer.headers["Content-Type"] == "application/problem+json", answer
    problem = answer.json
    assert problem["status"] == status and problem["title"], answer
    assert re.fullmatch(r"[^\x00-\x1f\x7f]+", problem["detail"]), answer
    assert problem["request_id"] == answer.headers["X-Request-Id"]
    for part in parts:
        assert part in problem["detail"], answer


class Raw:
    """A connection on which anything can be sent."""

    def __init__(self, server):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=30)

    def send(self, data):
        """False: the server has closed it."""
        try:
            self.socket.sendall(data)
            return True
        except OSError:
            return False

    def read(self):
        """All that comes until it is closed."""
        data = b""
        try:
            while piece := self.socket.recv(65536):
                data += piece
        except ConnectionResetError:
            pass
        self.socket.close()
        return data.decode(errors="replace")


def status_of(text):
    first = re.match(r"HTTP/1\.1 (\d{3}) ", text)
    assert first, text
    return int(first[1])


# ---- who it is


def test_no_wrong_cut_expired_and_revoked_tokens_open_nothing(server):
    expired = server.new_token("ana", lasts="1ms")
    revoked = server.post("/tokens", {"name": "old", "user": "ana"}).json
    assert server.call("DELETE", f"/tokens/{revoked['id']}").status == 200
    time.sleep(0.01)
    flipped = server.ana[:-1] + ("a" if server.ana[-1] != "a" else "b")
    for wrong in (f"hr_aaaaaaaa_{PLANTED}", flipped, server.ana[:-1], server.ana + "a", expired,
                  revoked["token"], "hr_", "x", "hr_" + "a" * 4000):  # fmt: skip
        answer = server.get("/jobs", token=wrong)
        expect_problem(answer, 401)
        assert len(wrong) < 8 or wrong not in answer.text
    for scheme in ("Basic YTpi", "Bearer", "bearer " + server.ana, "Bearer  " + server.ana):
        connection = server.connection(token="none")
        connection.request("GET", "/api/v1/jobs", headers={"Authorization": scheme})
        assert connection.getresponse().status == 401, scheme
        connection.close()
    assert server.get("/jobs", token=server.ana).status == 200


def test_guessing_tokens_is_slowed_down_and_who_has_one_is_not(server):
    answers = [server.get("/jobs", token=f"hr_aaaaaaaa_{i}") for i in range(60)]
    late = [one for one in answers if one.status == 429]
    assert {one.status for one in answers} == {401, 429}
    for one in late:
        expect_problem(one, 429)
        assert int(one.headers["Retry-After"]) >= 1
    assert server.get("/jobs", token=server.ana).status == 200


def test_foreign_queues_and_jobs_are_out_of_reach(server):
    job = {"job": "mine", "queue": "red", "hold": True, "run": "true", "env": {"KEY": PLANTED}}
    made = server.post("/jobs", job, token=server.ana)
    assert made.status == 201, made
    number = made.json["id"]

    expect_problem(server.post("/jobs", {**job, "queue": "blue"}, token=server.ana), 403, "blue")
    expect_problem(server.post("/jobs", {**job, "user": "ben"}, token=server.ana), 403, "ben")
    expect_problem(server.post("/jobs", {**job, "queue": "none"}, token=server.ana), 403, "none")
    assert server.get("/jobs", token=server.ben).json["items"] == []
    assert [one["id"] for one in server.get("/jobs", token=server.ana).json["items"]] == [number]
    for method, path in (("GET", ""), ("GET", "/why"), ("GET", "/logs"), ("POST", "/cancel"),
                         ("POST", "/hold"), ("POST", "/release"), ("POST", "/requeue")):  # fmt: skip
        expect_problem(server.call(method, f"/jobs/{number}{path}", token=server.ben), 403, "ben")
    priority = {"priority": 5}
    expect_problem(server.call("PATCH", f"/jobs/{number}", priority, token=server.ben), 403)
    expect_problem(server.call("PATCH", f"/jobs/{number}", priority, token=server.ana), 403)
    for method, path, body in (("PUT", "/cluster", CLUSTER), ("PUT", "/roles", ROLES),
                               ("GET", "/roles", None), ("GET", "/audit", None),
                               ("POST", "/nodes/n1/drain", {}), ("POST", "/nodes/n1/fail", {}),
                               ("POST", "/tokens", {"name": "x", "user": "root"})):  # fmt: skip
        expect_problem(server.call(method, path, body, token=server.ana), 403, "ana")

    assert server.get(f"/jobs/{number}", token=server.ana).json["spec"]["env"] == {"KEY": PLANTED}
    assert server.job(number)["state"] == "held"
    refused = [one for one in server.get("/audit?limit=1000").json["items"] if one["outcome"] == "refused"]
    assert {"cancelJob", "submitJob"} <= {one["verb"] for one in refused}
    assert server.post(f"/jobs/{number}/cancel", token=server.ana).status == 200


def test_a_token_with_scopes_does_no_more_than_they_say(server):
    reads = server.new_token("ana", scopes=["read"])
    assert server.get("/jobs", token=reads).status == 200
    job = {"job": "x", "queue": "red", "run": "true"}
    expect_problem(server.post("/jobs", job, token=reads), 403, "scope")
    expect_problem(server.post("/tokens", {"name": "more"}, token=reads), 403)


# ---- where it points


@pytest.mark.parametrize(
    "path",
    ["/jobs/../tokens", "/jobs/%2e%2e/%2e%2e/etc/passwd", "/jobs/1/logs/../../x",
     "/jobs/..%2f..%2fetc%2fpasswd/logs", "/jobs/1%00/logs", "/jobs/-1/logs", "/jobs/1.2.3/logs",
     "/jobs/1/logs?rank=../../../etc/passwd", "/jobs/1/logs?rank=-1", "/jobs/1/logs?rank=0%2f..",
     "/jobs/1/logs?attempt=../1", "/jobs/99999999999999999999/logs", "/jobs/1e1/logs",
     "/nodes/..%2f..", "/queues/%ff%fe", "/jobs?continue=../../x", "/jobs?continue=%00",
     "/jobs?limit=0", "/jobs?limit=99999999999999999999", "/jobs?limit=1&limit=2", "/nothing"],
)  # fmt: skip
def test_paths_and_parameters_that_lead_elsewhere(server, path):
    answer = server.get(path)
    expect_problem(answer, answer.status)
    assert answer.status in (400, 404), answer
    assert "root:" not in answer.text


def test_logs_are_of_the_job_and_of_nothing_else(server):
    number = server.submit(job="says", queue="red", run="echo said; printf '\\033[31m\\000'")
    server.until_state(number, "completed")
    log = server.get(f"/jobs/{number}/logs")
    assert log.text == "said\n\033[31m\0" and log.headers["Content-Type"].startswith("text/plain")
    assert log.headers["X-Content-Type-Options"] == "nosniff"
    for wrong in ("rank=1", "rank=4294967296", "attempt=2", "attempt=0", "rank=9007199254740992"):
        expect_problem(server.get(f"/jobs/{number}/logs?{wrong}"), 404)
    far = server.get(f"/jobs/{number}/logs?offset=9007199254740992")
    assert far.status == 200 and far.text == ""


# ---- how much, how slow


def test_a_header_of_10_mb(server):
    raw = Raw(server)
    raw.send(b"GET /api/v1/jobs HTTP/1.1\r\nHost: x\r\nX-Long: ")
    for _ in range(160):
        if not raw.send(b"a" * 65536):
            break
    assert status_of(raw.read()) == 431


def test_a_body_of_100_mb(server):
    announced = Raw(server)
    announced.send(b"POST /api/v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 104857600\r\n\r\n")
    assert status_of(announced.read()) == 413  # before a byte of it

    sent = Raw(server)
    sent.send(b"POST /api/v1/jobs HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in range(1600):
        if not sent.send(b"10000\r\n" + b"a" * 65536 + b"\r\n"):
            break
    text = sent.read()
    assert text == "" or status_of(text) == 413  # "": reset while it was still sending

    large = Raw(server)
    large.send(b"PUT /api/v1/cluster HTTP/1.1\r\nHost: x\r\nContent-Length: 16777217\r\n\r\n")
    assert status_of(large.read()) == 413


def test_slow_clients_are_let_go(server):
    slow = [Raw(server) for _ in range(50)]
    for raw in slow:
        raw.send(b"GET /api/v1/jobs HTTP/1.1\r\nHo")
    begin = time.monotonic()
    while time.monotonic() - begin < 9:  # a byte at a time does not make it longer
        for raw in slow:
            raw.send(b"s")
        time.sleep(1)
    texts = [raw.read() for raw in slow]
    took = time.monotonic() - begin
    assert {status_of(text) for text in texts} == {408}
    assert took < 25, took


@pytest.mark.parametrize(
    "head",
    ["GET /api/v1/jobs HTTP/1.1\r\n\r\n",
     "GET /api/v1/jobs HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
     "POST /api/v1/jobs HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
     "POST /api/v1/jobs HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
     "POST /api/v1/jobs HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
     "GET /api/v1/jobs\x01 HTTP/1.1\r\nHost: a\r\n\r\n",
     "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"],
)  # fmt: skip
def test_what_is_no_proper_http(server, head):
    raw = Raw(server)
    raw.send(head.encode("latin-1"))
    assert status_of(raw.read()) == 400


# ---- what it says


def test_bombs_of_json_and_yaml(server):
    deep = "[" * 200_000
    maps = '{"a":' * 100_000 + "1" + "}" * 100_000
    laughs = "a: &a [x]\n" + "".join(f"b{i}: &b{i} [*a, *a]\n" for i in range(50))
    for body, kind in (
        (deep, "json"), (deep + "]" * 200_000, "json"), (maps, "json"), ("", "json"), ("null", "json"),
        ('{"job":"a","run":"true","priority":1e999}', "json"),
        ('{"job":"a","run":"true","priority":' + "9" * 10_000 + "}", "json"),
        ('{"job":"a","run":"true","tasks":1000001}', "json"),
        ('{"job":"a","job":"b","run":"true"}', "json"), ('{"job":"\ud800"}', "json"),
        ("{" * 100_000, "yaml"), ("- " * 200_000, "yaml"), (laughs, "yaml"), ("? " * 100_000, "yaml"),
        ("job: !!python/object:x y", "yaml"),
    ):  # fmt: skip
        data = body.encode("utf-8", "surrogatepass")
        begin = time.monotonic()
        answer = server.call("POST", "/jobs", data, headers={"Content-Type": f"application/{kind}"})
        assert time.monotonic() - begin < 10, body[:60]
        expect_problem(answer, 422)
        assert len(answer.text) < 5000, body[:60]
    for path in ("/tokens", "/nodes/n1/drain", "/nodes/n1/fail"):
        expect_problem(server.post(path, deep.encode(), headers={"Content-Type": "application/json"}), 422)
    expect_problem(server.call("PUT", "/roles", maps.encode(), headers={"Content-Type": "application/json"}), 422)
    expect_problem(server.call("PUT", "/cluster", "a: " * 100_000), 422)
    assert server.get("/nodes/n1").json["state"] == "ready"


@pytest.mark.parametrize(
    "member, value",
    [("job", "a\nb"), ("job", "a\x1b[31m"), ("job", "../a"), ("job", "a\0b"), ("job", ""), ("job", "ü"),
     ("user", "a\nb"), ("queue", "red\n"), ("queue", "a\x07"), ("name", "a\x1b]0;x\x07"),
     ("name", "a\nb"), ("name", "\x7f"), ("workdir", "a\0b"), ("env", {"A=B": "x"}), ("env", {"A": "x\0y"}),
     ("env", {"": "x"}), ("run", "a\0b"), ("model", "a\x1bb")],
)  # fmt: skip
def test_control_characters_in_names_are_refused(server, member, value):
    answer = server.post("/jobs", {"job": "a", "queue": "red", "run": "true", "hold": True, member: value})
    expect_problem(answer, answer.status)
    assert answer.status in (400, 403, 422), answer


def test_control_characters_elsewhere(server):
    for body in ({"name": "a\x1b[2J"}, {"name": "a\nb"}, {"name": "ok", "user": "a\nb"}):
        expect_problem(server.post("/tokens", body), 422)
    reason = server.post("/nodes/n1/drain", {"reason": "a\x1b[2Jb\nc"})
    expect_problem(reason, 422)
    for subject in ("a\nb", "\x1b", ""):
        body = {"items": [{"subject": subject, "role": "user", "queue": ""}]}
        expect_problem(server.call("PUT", "/roles", body), 422)
    answer = server.get("/status", headers={"X-Request-Id": "a b"})
    assert answer.status == 200 and answer.headers["X-Request-Id"] != "a b"


# ---- what it leaves behind; runs last


def test_secrets_are_not_in_the_log(server):
    job = {"job": "secret", "queue": "red", "env": {"KEY": PLANTED}, "run": f"exit 1 # {PLANTED}"}
    number = server.submit(**job)
    server.until_state(number, "failed")
    server.get("/jobs?user=" + server.ana)  # a token where it does not belong
    server.get("/" + server.ana)
    server.get("/jobs", headers={"X-Request-Id": server.ana})
    log = server.log()
    assert log.count("\n") > 100
    for secret in (PLANTED, server.token, server.ana, server.ben):
        assert secret not in log
        assert secret.rsplit("_", 1)[-1] not in log
    for line in log.splitlines():
        assert re.fullmatch(r"[^\x00-\x1f\x7f]*", line), line
    for row in server.get("/audit?limit=1000").json["items"]:
        assert PLANTED not in json.dumps(row)
    assert PLANTED not in server.get("/metrics").text
