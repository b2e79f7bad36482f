"""docs/tutorial.md, typed into a shell on a terminal as a new user would."""

import os
import pty
import re
import select
import time

from conftest import ROOT

PROMPT = b"<<ready>> "


class Terminal:
    """bash on a pseudo terminal."""

    def __init__(self, home):
        self.pid, self.main = pty.fork()
        if self.pid == 0:
            environment = {
                "HOME": str(home), "PATH": f"{ROOT}/build/release:{os.environ['PATH']}", "TERM": "xterm",
                "PS1": PROMPT.decode(), "LANG": "C.UTF-8", "COLUMNS": "100",
            }  # fmt: skip
            os.execve("/bin/bash", ["bash", "--norc", "--noprofile", "-i"], environment)
        self.read()

    def read(self, seconds=60):
        """What is on the screen until the next prompt."""
        seen = b""
        until = time.monotonic() + seconds
        while not seen.endswith(PROMPT):
            left = until - time.monotonic()
            assert left > 0 and select.select([self.main], [], [], left)[0], seen.decode(errors="replace")
            seen += os.read(self.main, 65536)
        return seen.decode(errors="replace")

    def type(self, command):
        os.write(self.main, command.encode() + b"\r")
        return self.read()

    def close(self):
        os.write(self.main, b"kill $(jobs -p) 2> /dev/null; wait; exit\r")
        os.waitpid(self.pid, 0)
        os.close(self.main)


def commands():
    text = (ROOT / "docs/tutorial.md").read_text()
    for block in re.findall(r"^```shell-session\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        yield from re.findall(r"^\$ (.*)$", block, re.MULTILINE)


def test_the_tutorial_works_as_written(tmp_path):
    terminal = Terminal(tmp_path)
    seen = []  # (command, what was shown)
    try:
        for command in commands():
            shown = terminal.type(command)
            code = int(re.search(r"code=(\d+)", terminal.type("echo code=$?"))[1])
            ended = command.startswith("kill ")  # by our signal
            assert code == 0 or ended, f"{command}: exit {code}\n{shown}"
            seen.append((command, shown))
    finally:
        terminal.close()

    def shown_by(start):
        return next(text for command, text in seen if command.startswith(start))

    assert re.search(r"hello from \w+", shown_by("headroom run -G 1 -- 'echo"))
    assert "exit code 3" in shown_by("headroom run -G 1 -- 'exit 3'")
    assert "train" in shown_by("headroom ps") and "running" in shown_by("headroom ps")
    assert "needs 4 GPUs" in shown_by("headroom why") and "2 GPUs" in shown_by("headroom why")
    assert "6 of 8 allocated" in shown_by("headroom top")
    assert "my turn" in shown_by("headroom logs")
    assert "completed" in shown_by("headroom show")
    assert "GPU H" in shown_by("headroom usage")
