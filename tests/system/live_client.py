"""The command line of a real server (live_server.py): `headroom VERB` as its user types it."""

import json
import os
import subprocess

from conftest import ROOT, Outcome
from live_server import LiveServer


class LiveClient(LiveServer):
    def __init__(self, cluster=None, **options):
        super().__init__(cluster or (ROOT / "examples/live/cluster.yaml").read_text(), **options)
        self.environment = {**os.environ, "HEADROOM_SERVER": self.socket, "NO_COLOR": "1", "TZ": "UTC"}
        self.environment.pop("HEADROOM_TOKEN", None)

    def command(self, *arguments):
        return [str(word) for word in (self.program, *arguments)]

    def run(self, *arguments, seconds=60, **more):
        options = {"stdin": subprocess.DEVNULL, "env": self.environment, "cwd": self.work, **more}
        result = subprocess.run(self.command(*arguments), capture_output=True, text=True,
                                timeout=seconds, **options)  # fmt: skip
        return Outcome(result.returncode, result.stdout, result.stderr)

    def ok(self, *arguments, **more):
        """What it prints; it must succeed."""
        outcome = self.run(*arguments, **more)
        assert outcome.code == 0, (arguments, outcome)
        return outcome.out

    def document(self, *arguments):
        return json.loads(self.ok(*arguments, "--json"))

    def submitted(self, *arguments):
        """The id of the job that `submit` makes of these arguments."""
        return self.ok("submit", "--parsable", *arguments).strip()

    def state(self, job):
        return self.document("show", job)["state"]
