"""Every example in README.md, docs/ and each verb's --help runs: examples.py [ROOT [PROGRAM]].

In a document an example is a line that starts with `$ ` in a ```console block; blocks of other kinds
are not run. They run as a reader would: from the root of the repository, with `headroom` on the PATH
(a copy of the root, so that what they write does not stay). Each must exit with 0 and print the lines
that the document shows, in that order. An example with a verb that talks to a server finds one:
`headroom serve` on examples/live/cluster.yaml, fresh for each.
"""

import contextlib
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from source import GENERATED, OWN_ROOT, report

SECONDS = 120  # for one example


def examples_of_documents(root):
    """(place, command, lines of output that are shown)."""
    documents = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    for document in documents:
        text = document.read_text()
        for block in re.finditer(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            # a command goes on behind a \ at the end of its line; what follows is output
            for example in re.finditer(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", block[1], re.MULTILINE):
                shown = [line.rstrip() for line in example[2].splitlines() if line.strip()]
                yield str(document.relative_to(root)), example[1], shown


def help_of(program, *verb):
    result = subprocess.run([program, *verb, "--help"], capture_output=True, text=True, timeout=20)
    if result.returncode != 0:
        raise SystemExit(f"headroom {' '.join(verb)} --help: exit {result.returncode}\n{result.stderr}")
    return result.stdout


def verbs_of(program):
    verbs = help_of(program).partition("Subcommands:\n")[2]
    return re.findall(r"^  ([a-z][a-z-]*) ", verbs, re.MULTILINE)


def examples_of_help(program):
    for verb in verbs_of(program):
        examples = re.findall(r"^  (headroom (?:.*\\\n)*.*)$", help_of(program, verb), re.MULTILINE)
        if not examples:
            yield f"headroom {verb} --help", "echo 'shows no example' >&2; false", []
        for command in examples:
            yield f"headroom {verb} --help", command, []


def first_missing(shown, output):
    """The first of the shown lines that the output does not have behind those before it."""
    lines = (line.rstrip() for line in output.splitlines())
    return next((line for line in shown if line not in lines), None)


def is_live(command, live_verbs):
    return bool(live_verbs & set(re.findall(r"\bheadroom ([a-z-]+)", command)))


@contextlib.contextmanager
def live_server(root, program, folder):
    """`headroom serve`; gives the environment in which clients find it."""
    socket = Path(folder) / "live.sock"
    with open(Path(folder) / "live.log", "w") as log:
        server = subprocess.Popen(
            [program, "serve", "--no-tcp", "--socket", socket, "--data", Path(folder) / "live",
             "--cluster", root / "examples/live/cluster.yaml"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        until = time.monotonic() + 30
        while not socket.exists() and server.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        if not socket.exists():
            raise SystemExit("headroom serve does not start:\n" + (Path(folder) / "live.log").read_text())
        yield {"HEADROOM_SERVER": str(socket)}
    finally:
        server.terminate()
        server.wait(30)


def run(root, program, live_verbs, place, command, shown):
    """One example in a folder that looks like the root. Returns findings."""
    with tempfile.TemporaryDirectory() as folder:
        for entry in root.iterdir():
            if entry.name not in GENERATED:
                (Path(folder) / entry.name).symlink_to(entry)
        (Path(folder) / "out").mkdir()
        (Path(folder) / "bin").mkdir()
        (Path(folder) / "bin/headroom").symlink_to(program)
        environment = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}"}
        needs_server = is_live(command, live_verbs)
        server = live_server(root, program, folder) if needs_server else contextlib.nullcontext({})
        with server as where:
            result = subprocess.run(
                ["bash", "-o", "pipefail", "-c", command], cwd=folder, env={**environment, **where},
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS,
            )  # fmt: skip
    if result.returncode != 0:
        return [f"{place}: exit {result.returncode}: {command}\n{result.stderr[-1000:]}"]
    missing = first_missing(shown, result.stdout)
    return [f"{place}: {command}\n  does not print: {missing}"] if missing else []


def main():
    root = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else OWN_ROOT
    program = Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else root / "build/test/headroom"
    examples = [*examples_of_documents(root), *examples_of_help(program)]
    live_verbs = {verb for verb in verbs_of(program) if "--server URL" in help_of(program, verb)}
    findings = [f for example in examples for f in run(root, program, live_verbs, *example)]
    return report(findings, len(examples), "examples")


if __name__ == "__main__":
    sys.exit(main())
