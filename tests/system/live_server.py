"""A real `headroom serve` in a temporary folder, with a free port and a UNIX socket. At the end its
jobs, itself and every process of it are gone, and so is the folder.

    with LiveServer(CLUSTER) as server:
        server.submit(job="one", queue="red", gpus=1, run="sleep 1")
        server.kill()  # SIGKILL
        server.start()
"""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/release/headroom"
STARTS_WITHIN = 30  # seconds, on a machine that builds and tests beside
FINAL = ("completed", "failed", "cancelled", "timed_out", "rejected")


@dataclass
class Answer:
    status: int
    headers: dict
    text: str

    @property
    def json(self):
        return json.loads(self.text)


class SocketConnection(http.client.HTTPConnection):
    """HTTP through a UNIX socket."""

    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class LiveServer:
    def __init__(self, cluster, program=PROGRAM, arguments=()):
        self.folder = Path(tempfile.mkdtemp(prefix="headroom-live-"))
        self.folder.chmod(0o755)  # jobs of other users run below it
        self.data = self.folder / "data"
        self.socket = str(self.folder / "socket")
        self.work = self.folder / "work"  # where jobs run
        self.work.mkdir()
        self.work.chmod(0o777)
        self.cluster = self.folder / "cluster.yaml"
        self.cluster.write_text(cluster)
        self.program = program
        self.arguments = list(arguments)
        self.process = None
        self.token = None  # of the admin
        self.port = None
        self.keep = False  # the folder, for whoever wants to look

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    # ---- life and death

    def spawn(self):
        """Begins to start it, and does not wait. Its output is new, its log goes on."""
        command = [self.program, "serve", "--data", self.data, "--cluster", self.cluster,
                   "--socket", self.socket, "--listen", "127.0.0.1:0", *self.arguments]  # fmt: skip
        with open(self.folder / "out", "wb") as out, open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=out, stderr=log,
            )  # fmt: skip

    def start(self):
        """Returns when it answers."""
        self.spawn()
        output = self.folder / "out"
        until = time.monotonic() + STARTS_WITHIN
        while not (port := re.search(r"^  http +\S+:(\d+)$", output.read_text(), re.M)):
            assert self.process.poll() is None, f"no start: {self.log()[-2000:]}"
            assert time.monotonic() < until, f"no start within {STARTS_WITHIN} s"
            time.sleep(0.01)
        self.port = int(port[1])
        # All is printed at once, but may be read in pieces.
        if token := re.search(r"^  token +(\S+)\n", output.read_text(), re.M):
            self.token = token[1]
        while self.get("/readyz").status != 200:
            assert time.monotonic() < until, "not ready"
            time.sleep(0.01)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(timeout=20) == 0, self.log()[-2000:]

    def log(self):
        return (self.folder / "log").read_text(errors="replace")

    def processes(self):
        """Numbers of all processes that belong to it: hub, supervisors, tasks."""
        mark = str(self.folder).encode()
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                is_ours = mark in (entry / "cmdline").read_bytes() or (
                    mark in (entry / "environ").read_bytes()
                )
            except OSError:
                continue
            if is_ours:
                found.append(int(entry.name))
        return found

    def close(self):
        left = []
        try:
            if self.process and self.process.poll() is None:
                self.kill()
            # A task dies with its supervisor.
            until = time.monotonic() + 20
            while left := self.processes():
                for number in left:
                    try:
                        os.kill(number, signal.SIGKILL)
                    except ProcessLookupError:
                        pass
                if time.monotonic() > until:
                    break
                time.sleep(0.05)
        finally:
            if not self.keep:
                shutil.rmtree(self.folder, ignore_errors=True)
        assert not left, f"processes are left: {left}"

    # ---- the API

    def connection(self, token=None, timeout=30):
        """With a token through TCP, else through the socket as the user of this process."""
        if token is None:
            return SocketConnection(self.socket, timeout)
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def call(self, method, path, body=None, token=None, headers=None, timeout=30):
        """`body`: a dict is sent as JSON, a text as YAML. `path` below /api/v1 unless it is outside."""
        if not path.startswith(("/healthz", "/readyz", "/metrics", "/api/")):
            path = "/api/v1" + path
        headers = dict(headers or {})
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if isinstance(body, dict):
            headers.setdefault("Content-Type", "application/json")
            body = json.dumps(body)
        elif body is not None:
            headers.setdefault("Content-Type", "application/yaml")
        connection = self.connection(token, timeout)
        try:
            connection.request(method, path, body=body, headers=headers)
            response = connection.getresponse()
            text = response.read().decode(errors="replace")
            return Answer(response.status, dict(response.getheaders()), text)
        finally:
            connection.close()

    def get(self, path, **options):
        return self.call("GET", path, **options)

    def post(self, path, body=None, **options):
        return self.call("POST", path, body, **options)

    def submit(self, token=None, **job):
        """Returns the number of the job."""
        job.setdefault("workdir", str(self.work))
        answer = self.post("/jobs", job, token=token)
        assert answer.status == 201, answer
        return answer.json["id"]

    def job(self, number):
        answer = self.get(f"/jobs/{number}")
        assert answer.status == 200, answer
        return answer.json

    def new_token(self, user, **more):
        answer = self.post("/tokens", {"name": f"of {user}", "user": user, **more})
        assert answer.status == 201, answer
        return answer.json["token"]

    def until(self, what, holds, seconds=20):
        """Waits until `holds()` is true, and returns what it returned."""
        end = time.monotonic() + seconds
        while not (value := holds()):
            assert time.monotonic() < end, f"not within {seconds} s: {what}"
            time.sleep(0.03)
        return value

    def until_state(self, number, *states, seconds=20):
        """Waits until the job is in one of the states; returns the job."""
        def reached():
            job = self.job(number)
            assert job["state"] in states or job["state"] not in FINAL, job
            return job if job["state"] in states else None

        return self.until(f"job {number} is {' or '.join(states)}", reached, seconds)
