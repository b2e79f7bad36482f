"""What ./test counts can be trusted: whatever a runner does, nothing passes silently."""

import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import runners  # noqa: E402
from runners import FAILED, PASSED, SKIPPED, StepFailed  # noqa: E402


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def program(tmp_path, text):
    path = tmp_path / "some_test"
    path.write_text("#!/bin/bash\n" + text)
    path.chmod(0o755)
    return path


def gtest(tmp_path, cases, end="exit 0"):
    """What a test program with these cases in its report counts."""
    report = f"<testsuites><testsuite>{cases}</testsuite></testsuites>"
    text = f"cat >\"${{1#--gtest_output=xml:}}\" <<'END'\n{report}\nEND\n{end}\n"
    return runners.run_gtest("label", program(tmp_path, text), 10)


GOOD = '<testcase classname="A" name="good" status="run" result="completed"/>'
BAD = '<testcase classname="A" name="bad" status="run"><failure message="m">why</failure></testcase>'
LEFT_OUT = '<testcase classname="A" name="out" status="run"><skipped message="x.cc:1&#10;no data"/></testcase>'
DISABLED = '<testcase classname="A" name="off" status="notrun" result="suppressed"/>'


def test_each_case_is_counted(tmp_path):
    cases = gtest(tmp_path, GOOD + BAD + LEFT_OUT + DISABLED, "exit 1")
    assert [case.outcome for case in cases] == [PASSED, FAILED, SKIPPED, SKIPPED]
    assert cases[1].output == "why" and cases[2].output == "x.cc:1 no data"
    assert cases[2].name == "label-some_test: A.out"


@pytest.mark.parametrize("end", ["exit 3", "kill -SEGV $$", "exec sleep 60"])
def test_a_bad_end_after_good_cases_is_a_failure(tmp_path, monkeypatch, end):
    real = runners.execute
    monkeypatch.setattr(runners, "execute", lambda name, command, _: real(name, command, 1))
    assert [case.outcome for case in gtest(tmp_path, GOOD, end)] == [PASSED, FAILED]


@pytest.mark.parametrize("text", ["exit 0", "exit 1", 'echo "<not xml" >"${1#--gtest_output=xml:}"'])
def test_no_report_is_a_failure(tmp_path, text):
    cases = runners.run_gtest("label", program(tmp_path, text), 10)
    assert [case.outcome for case in cases] == [FAILED]


def test_a_report_of_an_earlier_run_does_not_count(tmp_path):
    gtest(tmp_path, GOOD)
    assert [c.outcome for c in runners.run_gtest("label", program(tmp_path, "exit 0"), 10)] == [FAILED]


def test_no_tests_is_a_failure(tmp_path):
    assert [case.outcome for case in gtest(tmp_path, "")] == [FAILED]
    (tmp_path / "empty_test.py").write_text("")
    assert [case.outcome for case in runners.run_pytest("empty", ["empty_test.py"], 30)] == [FAILED]


def test_pytest_cases(tmp_path):
    text = "import pytest\ndef test_a(): pass\ndef test_b(): assert 0\ndef test_c(): pytest.skip('no')\n"
    (tmp_path / "three_test.py").write_text(text)
    cases = runners.run_pytest("three", ["three_test.py"], 30)
    assert [case.outcome for case in cases] == [PASSED, FAILED, SKIPPED]


def test_a_command_ends_in_time_with_all_that_it_started(tmp_path):
    start = time.monotonic()
    case = runners.run("late", ["bash", "-c", "sleep 60 & sleep 60"], 1)
    assert case.outcome == FAILED and "no end within 1 s" in case.output
    assert time.monotonic() - start < 20


def test_a_build_that_fails_stops_its_step():
    with pytest.raises(StepFailed):
        runners.build("no-such-preset")
