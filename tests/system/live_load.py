"""A load on a live server that knows what it was promised: clients that submit, cancel and read
while the server may die at any moment, and the books against which it is held afterwards."""

import http.client
import json
import random
import threading
from collections import Counter
from pathlib import Path

KEEPERS = 4  # jobs that run for as long as the test does
MOST_LIVE = 40  # jobs at a time; more are not submitted
PAGE = 1000
CANCELLED_MAY_BE = {"stopping", "cancelled", "completed", "failed"}
ENDED = {"completed", "failed", "cancelled"}


class Violation(Exception):
    """A promise was not kept."""


def expect(holds, text):
    if not holds:
        raise Violation(text)


class Books:
    """What clients were told. One lock for all of it: clients are threads."""

    def __init__(self, work):
        self.work = Path(work)
        self.lock = threading.Lock()
        self.acknowledged = {}  # name -> number
        self.unknown = {}  # name -> (key, body): sent, and no answer came
        self.cancelled = set()  # numbers: acknowledged
        self.cancel_unknown = set()  # numbers: perhaps
        self.fresh = []  # names acknowledged since the last check
        self.keepers_made = 0
        self.keepers = {}  # number -> when its process began
        self.violations = []  # that clients met
        self.counts = Counter()
        self.next = 0

    def new_job(self, draw):
        """(key, body) of a job that nobody has submitted yet. Its name foretells its end."""
        with self.lock:
            self.next += 1
            name = f"j{self.next}"
            keeper = self.keepers_made < KEEPERS
            self.keepers_made += keeper
        code = draw.choice([0, 0, 0, 1, 3])
        line = f'echo "$HEADROOM_JOB_ID $HEADROOM_ATTEMPT $$" >> {self.work}/started'
        if keeper:
            name = f"{name}-keeper"
            run = f"{line}; exec sleep 100000"
        else:
            name = f"{name}-exit-{code}"
            run = f"{line}; sleep {draw.choice([0, 0, 0.1, 0.3, 1])}; exit {code}"
        body = {"job": name, "queue": draw.choice(["red", "blue"]), "workdir": str(self.work),
                "gpus": 1 if keeper else draw.choice([0, 1, 2, 4]), "run": run,
                "preemptible": False}  # fmt: skip
        return f"key-{name}", body

    def started(self):
        """[job, attempt, process] of every task that began, in order."""
        try:
            lines = (self.work / "started").read_text().splitlines()
        except FileNotFoundError:
            return []
        return [line.split() for line in lines]

    # ---- after each start

    def check_after_start(self, server):
        expect(not self.violations, "; ".join(self.violations))
        self.send_again(server)
        self.check_submissions(server)
        self.check_cancellations(server)
        self.check_starts()
        self.check_keepers(server)
        self.check_gpus(server)

    def send_again(self, server):
        """What had no answer is sent again under the same key: it is there once, old or new."""
        for name, (key, body) in list(self.unknown.items()):
            answer = server.post("/jobs", body, headers={"Idempotency-Key": key})
            expect(answer.status == 201, f"{name} sent again: {answer}")
            number = answer.json["id"]
            same = server.get(f"/jobs?state=all&name={name}").json["items"]
            expect([one["id"] for one in same] == [number], f"{name} is there {len(same)} times: {same}")
            self.acknowledged[name] = number
            self.fresh.append(name)
            del self.unknown[name]
        for number in self.cancel_unknown - self.cancelled:
            answer = server.post(f"/jobs/{number}/cancel")
            expect(answer.status in (200, 409), f"cancel {number} again: {answer}")
            self.cancelled.add(number)
        self.cancel_unknown.clear()

    def check_submissions(self, server):
        for name in self.fresh:
            answer = server.get(f"/jobs/{self.acknowledged[name]}")
            expect(answer.status == 200 and answer.json["name"] == name, f"lost: {name}: {answer}")
        self.fresh.clear()

    def check_cancellations(self, server):
        for number in sorted(self.cancelled):
            state = server.get(f"/jobs/{number}").json["state"]
            expect(state in CANCELLED_MAY_BE, f"job {number} was cancelled and is {state}")
            if state in ENDED:
                self.cancelled.remove(number)

    def check_starts(self):
        times = Counter((job, attempt) for job, attempt, _ in self.started())
        twice = {one: count for one, count in times.items() if count > 1}
        expect(not twice, f"started twice: {twice}")
        again = [one for one in times if one[1] != "1"]  # no node fails, nobody is preempted
        expect(not again, f"started again: {again}")

    def check_keepers(self, server):
        """A job that ran before the kill is the same process still."""
        processes = {job: process for job, _, process in self.started()}
        for name, number in list(self.acknowledged.items()):
            if not name.endswith("-keeper"):
                continue
            process = processes.get(number)
            if process is None:
                continue  # it has not begun yet
            begun = start_time(process)
            expect(begun, f"job {number} ({name}): process {process} is gone")
            known = self.keepers.get(number)
            expect(known in (None, begun), f"job {number}: process {process} is another")
            state = server.get(f"/jobs/{number}").json["state"]
            expect(state in ("launching", "running"), f"job {number} ({name}) is {state}")
            self.counts["untouched"] += known is not None
            self.keepers[number] = begun

    def check_gpus(self, server):
        for gpu in server.get(f"/gpus?limit={PAGE}").json["items"]:
            expect(len(gpu["jobs"]) <= 1, f"held twice: {gpu}")

    # ---- at the end

    def check_end(self, server):
        """Every job has ended as its name foretells, and ran at most once."""
        keepers = {n for name, n in self.acknowledged.items() if name.endswith("-keeper")}
        server.until(
            "all jobs have ended",
            lambda: {one["id"] for one in all_jobs(server, "active")} <= keepers, 120,
        )  # fmt: skip
        for number in keepers:
            expect(server.post(f"/jobs/{number}/cancel").status == 200, f"cancel {number}")
        server.until("the last jobs have ended", lambda: not all_jobs(server, "active"), 60)
        jobs = {one["name"]: one for one in all_jobs(server, "all")}
        expect(
            {name: one["id"] for name, one in jobs.items()} == self.acknowledged,
            "the jobs are not those that were submitted",
        )
        ran = {job for job, _, _ in self.started()}
        for name, job in jobs.items():
            self.check_job(name, job, job["id"] in ran)
        self.check_starts()

    def check_job(self, name, job, ran):
        if job["state"] == "cancelled":
            return
        code = int(name.rsplit("-", 1)[1])
        right = job["state"] == ("failed" if code else "completed") and job.get("exit_code") == code
        expect(right, f"it ended otherwise: {job}")
        expect(ran and job["attempt"] == 1, f"it did not run once: {job}")


def all_jobs(server, state):
    jobs, more = [], ""
    while True:
        page = server.get(f"/jobs?state={state}&limit={PAGE}{more}").json
        jobs += page["items"]
        if "continue" not in page:
            return jobs
        more = f"&continue={page['continue']}"


def start_time(process):
    """When a process began, in ticks since the machine did; None: there is no such process."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[19]
    except (FileNotFoundError, ProcessLookupError):
        return None


class Client:
    """One user of the server, over one connection, until the server is gone."""

    def __init__(self, server, books, seed):
        self.server = server
        self.books = books
        self.draw = random.Random(seed)
        self.connection = server.connection(timeout=10)
        self.mine = []  # numbers that may be cancelled

    def work(self, over):
        try:
            while not over.is_set():
                self.one_step()
                over.wait(self.draw.uniform(0, 0.02))
        except (OSError, http.client.HTTPException):
            pass  # killed
        except Violation as violation:
            self.books.violations.append(str(violation))
        finally:
            self.connection.close()

    def one_step(self):
        what = self.draw.random()
        if what < 0.2 and self.mine:
            self.cancel(self.mine.pop(self.draw.randrange(len(self.mine))))
        elif what < 0.4:
            self.ask("GET", "/jobs?state=active&limit=100")
        elif len(self.ask("GET", f"/jobs?state=active&limit={MOST_LIVE}")[1]["items"]) < MOST_LIVE:
            self.submit()

    def submit(self):
        key, body = self.books.new_job(self.draw)
        name = body["job"]
        with self.books.lock:
            self.books.unknown[name] = (key, body)
            self.books.counts["unknown"] += 1
        status, answer = self.ask("POST", "/jobs", body, key)
        expect(status == 201, f"{name}: {status} {answer}")
        with self.books.lock:
            del self.books.unknown[name]
            self.books.counts["unknown"] -= 1
            self.books.counts["submitted"] += 1
            self.books.acknowledged[name] = answer["id"]
            self.books.fresh.append(name)
        if not name.endswith("-keeper"):
            self.mine.append(answer["id"])

    def cancel(self, number):
        with self.books.lock:
            self.books.cancel_unknown.add(number)
            self.books.counts["unknown"] += 1
        status, answer = self.ask("POST", f"/jobs/{number}/cancel")
        expect(status in (200, 409), f"cancel {number}: {status} {answer}")  # 409: it has ended
        with self.books.lock:
            self.books.cancel_unknown.discard(number)
            self.books.counts["unknown"] -= 1
            self.books.counts["cancelled"] += status == 200
            if status == 200:
                self.books.cancelled.add(number)

    def ask(self, method, path, body=None, key=None):
        headers = {"Idempotency-Key": key} if key else {}
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(body)
        self.connection.request(method, "/api/v1" + path, body=body, headers=headers)
        response = self.connection.getresponse()
        return response.status, json.loads(response.read())
