"""How ./test runs things and counts: a plain command (one case), GoogleTest and pytest (their
JUnit XML, one case each), CMake builds."""

import os
import signal
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
LOGS = Path("out/test")
SHOWN_LINES = 40


class StepFailed(Exception):
    """A step could not do its work; the text says why and shows the end of the output."""


@dataclass
class Case:
    name: str
    outcome: str
    output: str = ""


def execute(name, command, seconds):
    """Runs a command with its process group and a time limit. Returns (exit code, output)."""
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{name}.log"
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
    with open(log, "wb") as file:
        process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=file,
            stderr=subprocess.STDOUT, start_new_session=True, env=environment,
        )  # fmt: skip
        try:
            code = process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            code = f"no end within {seconds} s"
    end_group(process)
    return code, log.read_text(errors="replace")


def end_group(process):
    """Ends a command that is late, and whatever a command left running."""
    for number, patience in ((signal.SIGTERM, 10), (signal.SIGKILL, None)):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            return
        try:
            process.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            pass


def end_of(output):
    return "\n".join(output.splitlines()[-SHOWN_LINES:])


def run(name, command, seconds):
    """One command, one case: it passes when the command exits with 0."""
    code, output = execute(name, command, seconds)
    if code == 0:
        return Case(name, PASSED)
    return Case(name, FAILED, f"{end_of(output)}\n(exit: {code})")


def build(preset, targets=()):
    """Configures and builds a preset; all of it, or the targets only."""
    configure = ["cmake", "--preset", preset]
    compile_ = ["cmake", "--build", "--preset", preset]
    if targets:
        compile_ += ["--target", *targets]
    for stage, command in (("configure", configure), ("build", compile_)):
        code, output = execute(f"{stage}-{preset}", command, 1500)
        if code != 0:
            hint = f"to start afresh, remove build/{preset}"
            raise StepFailed(f"{end_of(output)}\n({' '.join(command)}: exit {code}; {hint})")


def run_gtest(label, program, seconds):
    name = f"{label}-{program.name}"
    report = LOGS / f"{name}.xml"
    report.unlink(missing_ok=True)
    command = [program, f"--gtest_output=xml:{report}", "--gtest_brief=1"]
    return junit_cases(name, report, *execute(name, command, seconds))


def run_pytest(name, arguments, seconds):
    report = LOGS / f"{name}.xml"
    report.unlink(missing_ok=True)
    command = ["/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider",
               f"--junitxml={report}", *arguments]  # fmt: skip
    return junit_cases(name, report, *execute(name, command, seconds))


def junit_cases(name, report, code, output):
    """The cases of a JUnit report. A runner that failed without a failed case, or ran none, is a
    failed case of its own: it crashed, hung or found no tests."""
    cases = []
    if report.is_file():
        try:
            cases = [junit_case(name, node) for node in ElementTree.parse(report).iter("testcase")]
        except ElementTree.ParseError as error:
            output += f"\n{report}: {error}"
    failed = any(case.outcome == FAILED for case in cases)
    if not cases or (code != 0 and not failed):
        reason = "no tests were run" if code == 0 else f"exit: {code}"
        cases.append(Case(name, FAILED, f"{end_of(output)}\n({reason})"))
    return cases


def junit_case(runner, node):
    name = f"{runner}: {node.get('classname')}.{node.get('name')}"
    for tag in ("failure", "error"):
        problem = node.find(tag)
        if problem is not None:
            return Case(name, FAILED, end_of(problem.text or problem.get("message") or ""))
    skipped = node.find("skipped")
    if skipped is not None or node.get("result") == "skipped" or node.get("status") == "notrun":
        reason = skipped.get("message") or "" if skipped is not None else "(disabled)"
        return Case(name, SKIPPED, " ".join(reason.split()))
    return Case(name, PASSED)


def in_parallel(jobs: list[Callable]):
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        return list(pool.map(lambda job: job(), jobs))
