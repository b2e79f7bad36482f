"""The command line against a real server: what users type, and what they see."""

import json
import os
import pty
import re
import signal
import subprocess
import time

import pytest
from conftest import ROOT
from live_client import LiveClient

LIVE = ROOT / "examples/live"


@pytest.fixture(scope="module")
def live():
    with LiveClient() as server:
        yield server


def test_run_prints_what_the_job_prints_and_ends_as_it_ends(live):
    outcome = live.run("run", "-G", "1", "-q", "production", "--", "echo out; echo err >&2; exit 7")
    assert outcome.code == 7
    assert sorted(outcome.out.split()) == ["err", "out"]
    assert "failed" in outcome.err
    assert live.run("run", "-q", "production", "--", "kill -USR1 $$").code == 128 + signal.SIGUSR1
    outcome = live.run("run", "-q", "production", "--quiet", "--", "printf", "a b\\n")
    assert (outcome.code, outcome.out, outcome.err) == (0, "a b\n", "")


def test_a_command_runs_where_it_was_submitted_with_its_words(live, tmp_path):
    (tmp_path / "a file").write_text("found\n")
    outcome = live.run("run", "-q", "production", "--quiet", "--env", "WORD=1,2", "--",
                        "sh", "-c", "cat 'a file'; echo $WORD", cwd=tmp_path)  # fmt: skip
    assert outcome.out == "found\n1,2\n", outcome


def test_a_job_yaml_its_life_in_show_and_its_log(live):
    job = live.submitted(LIVE / "hello.yaml")
    outcome = live.run("wait", job, "--timeout", "30s")
    assert outcome.code == 0 and "completed" in outcome.err
    assert live.ok("logs", job).startswith("hello from node")
    assert live.ok("logs", job, "--tail", "1") == live.ok("logs", "-f", job)
    shown = live.ok("show", job)
    for part in (f"{job}  hello", "completed", "research", "Attempts", "Timeline", "submitted", "Specification"):
        assert part in shown, shown
    document = live.document("show", job)
    assert document["id"] == job and document["spec"]["job"] == "hello"


def test_a_script_of_sbatch(live):
    outcome = live.run("submit", LIVE / "train.sh", "--explain-import", "--parsable")
    assert outcome.code == 0, outcome
    assert "--mail-type=END dropped: mail is not sent" in outcome.err
    assert "--nodes=2 -> tasks: 2" in outcome.err
    job = outcome.out.strip()
    assert live.run("wait", job, "--timeout", "30s").code == 0
    assert live.ok("logs", job, "--rank", "1") == "rank 1 of 2\n"


def test_dry_runs_change_nothing(live):
    before = live.document("ps", "-A", "-a")["items"]
    assert "research/language" in live.ok("submit", "--dry-run", LIVE / "hello.yaml")
    held = live.submitted("-q", "production", "-H", "--", "true")
    assert live.run("cancel", "--dry-run", held).code == 0
    assert live.state(held) == "held"
    live.ok("cancel", held)
    assert live.run("drain", "node4", "--dry-run", "--reason", "x").code == 0
    assert {node["state"] for node in live.document("nodes")["items"]} == {"ready"}
    assert len(live.document("ps", "-A", "-a")["items"]) == len(before) + 1


def test_hold_release_priority_cancel_and_their_exit_codes(live):
    job = live.submitted("-q", "production", "-H", "--", "true")
    assert "hold" in live.ok("why", job)
    assert live.document("why", job)["reason"]["code"] == "hold"
    live.ok("priority", "7", job)
    assert live.document("show", job)["priority"] == 7
    live.ok("release", job)
    assert live.run("wait", job, "--timeout", "30s").code == 0
    outcome = live.run("cancel", job)
    assert outcome.code == 5 and "it has ended" in outcome.err
    assert live.run("show", "999999").code == 3
    long = live.submitted("-q", "production", "--", "sleep 60")
    live.until("it runs", lambda: live.state(long) == "running")
    assert live.run("wait", long, "--timeout", "100ms").code == 7
    outcome = live.run("cancel", long, "999999")
    assert outcome.code == 9, outcome
    assert live.run("wait", long, "--timeout", "60s").code == 1
    assert live.state(long) == "cancelled"


def test_requeue_gives_another_attempt(live, tmp_path):
    job = live.submitted("-q", "production", "--", "sleep 60")
    live.until("it runs", lambda: live.state(job) == "running")
    live.ok("requeue", job)
    live.until("it starts again", lambda: live.document("show", job)["attempt"] == 2, seconds=60)
    live.ok("cancel", job)


def interruptible():
    """In the child: as in a terminal, also where these tests run in the background, which ignores
    SIGINT and passes that on."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_cancels_the_job(live):
    run = subprocess.Popen(live.command("run", "-q", "production", "--", "echo begun; sleep 60"),
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           text=True, env=live.environment, preexec_fn=interruptible)  # fmt: skip
    assert run.stdout.readline() == "begun\n"
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert run.returncode == 130, err
    job = re.search(r"headroom: job (\d+)", err)[1]
    assert "cancelling" in err
    assert live.state(job) == "cancelled"


def test_keep_leaves_the_job_running(live):
    run = subprocess.Popen(live.command("run", "--keep", "-q", "production", "--", "echo begun; sleep 60"),
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           text=True, env=live.environment, preexec_fn=interruptible)  # fmt: skip
    assert run.stdout.readline() == "begun\n"
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert run.returncode == 130
    job = re.search(r"headroom: job (\d+)", err)[1]
    assert live.state(job) == "running"
    live.ok("cancel", job)


def test_forms_of_ps(live):
    jobs = [live.submitted("-q", "production", "-H", "-J", f"form{i}", "--", "true") for i in range(3)]
    table = live.ok("ps", "--name", "form*")
    assert table.splitlines()[0].split()[:4] == ["ID", "NAME", "QUEUE", "USER"]
    assert "(hold)" in table
    lines = live.ok("ps", "--name", "form*", "-o", "jsonl").splitlines()
    assert [json.loads(line)["id"] for line in lines] == jobs
    assert live.ok("ps", "--name", "form*", "--columns", "id", "--no-headers").split() == jobs
    assert live.ok("ps", "--name", "form*", "--sort=-id", "--columns", "id", "--no-headers").split() == jobs[::-1]
    csv = live.ok("ps", "--name", "form*", "-o", "csv", "--columns", "id,state").splitlines()
    assert csv == ["id,state"] + [f"{job},held" for job in jobs]
    assert live.ok("ps", "--name", "form*", "-o", "yaml").startswith("items:")
    first = live.run("ps", "--name", "form*", "-n", "2")
    assert len(first.out.splitlines()) == 3 and "there are more" in first.err
    outcome = live.run("ps", "--columns", "idd")
    assert outcome.code == 2 and "did you mean id?" in outcome.err
    for job in jobs:
        live.ok("cancel", job)


def test_a_bad_job_is_told_with_its_file_and_line(live, tmp_path):
    bad = tmp_path / "bad.yaml"
    bad.write_text("job: a\nqueue: production\ngpuss: 1\ntime: 48\nrun: 'true'\n")
    outcome = live.run("submit", bad)
    assert outcome.code == 2 and outcome.out == ""
    assert f"{bad}:3: unknown key gpuss" in outcome.err and f"{bad}:4: time" in outcome.err
    outcome = live.run("submit", "-q", "nowhere", "--", "true")
    assert outcome.code != 0 and "nowhere" in outcome.err


def test_of_several_jobs_none_is_submitted_when_one_is_wrong(live, tmp_path):
    before = len(live.document("ps", "-A", "-a")["items"])
    several = tmp_path / "several.yaml"
    several.write_text("job: a\nqueue: production\nrun: 'true'\n---\njob: b\nqueue: nowhere\nrun: 'true'\n")
    outcome = live.run("submit", several)
    assert outcome.code not in (0, 9) and outcome.out == "", outcome
    assert len(live.document("ps", "-A", "-a")["items"]) == before
    several.write_text(several.read_text().replace("nowhere", "production"))
    assert len(live.ok("submit", "--parsable", several).split()) == 2


def test_tables_of_the_cluster(live):
    nodes = live.document("nodes")["items"]
    assert [node["name"] for node in nodes] == ["node1", "node2", "node3", "node4"]
    assert "H100-SXM" in live.ok("nodes") and "128GiB" in live.ok("nodes")
    assert len(live.document("gpus")["items"]) == 32
    queues = live.ok("queues")
    assert "research/vision" in queues and "BORROWED" in queues
    usage = live.ok("usage", "--from", "1h", "--by", "queue,user")
    assert "ALLOCATED GPU H" in usage.splitlines()[0]
    assert live.ok("usage", "--focus").count("\n") >= 1
    assert "admin" in live.ok("whoami")
    audit = live.ok("audit", "-n", "5")
    assert len(audit.splitlines()) == 6 and "VERB" in audit


def test_drain_keeps_work_away(live):
    live.ok("drain", "node1", "node2", "node3", "--reason", "a new switch")
    job = live.submitted("-q", "production", "-n", "2", "-G", "8", "--", "true")
    live.until("there is a reason", lambda: live.document("why", job).get("reason", {}).get("code") not in (None, "not_looked_at"))
    assert live.state(job) == "waiting"
    assert "drained" in live.ok("nodes")
    live.ok("undrain", "node1", "node2", "node3")
    assert live.run("wait", job, "--timeout", "30s").code == 0
    assert live.run("drain", "nowhere", "--reason", "x").code == 3
    assert live.run("drain", "node1").code == 2  # a reason is needed


def test_apply_shows_what_changes(live, tmp_path):
    more = tmp_path / "cluster.yaml"
    more.write_text((LIVE / "cluster.yaml").read_text().replace("count: 4", "count: 5").replace("node[1-4]", "node[1-5]"))
    outcome = live.run("apply", "--dry-run", more)
    assert outcome.code == 10 and "node5" in outcome.out, outcome
    assert len(live.document("nodes")["items"]) == 4
    outcome = live.run("apply", more)
    assert outcome.code == 0 and "node5" in outcome.out
    assert len(live.document("nodes")["items"]) == 5
    outcome = live.run("apply", "--dry-run", more)
    assert outcome.code == 0 and "nothing to change" in outcome.err
    more.write_text("cluster: lab\nnodes: 5\n")
    outcome = live.run("apply", more)
    assert outcome.code == 2 and f"{more}:2: nodes" in outcome.err
    live.ok("apply", LIVE / "cluster.yaml")


def test_tokens_are_shown_once_and_revoked(live):
    made = live.run("token", "create", "--name", "ci", "--lasts", "1h")
    assert made.code == 0 and re.fullmatch(r"hr_\S+\n", made.out), made
    listed = live.document("token", "list")["items"]
    one = next(item for item in listed if item["name"] == "ci")
    assert made.out.strip() not in live.ok("token", "list", "-o", "wide")
    live.ok("token", "revoke", one["id"])
    assert next(item for item in live.document("token", "list")["items"] if item["id"] == one["id"])["revoked"]
    assert live.run("token", "revoke", "none").code == 3
    assert live.run("token", "create").code == 2


def test_top_draws_the_screen(live):
    job = live.submitted("-q", "production", "-H", "-J", "waits", "--", "true")
    text = live.ok("top", "--once")
    assert text.startswith("headroom lab   nodes 4")
    assert "GPUs [" in text and "(hold)" in text
    # And on a terminal: it draws, q leaves, the terminal is as before.
    main, terminal = pty.openpty()
    environment = {**live.environment, "TERM": "xterm"}
    top = subprocess.Popen(live.command("top"), stdin=terminal, stdout=terminal, stderr=terminal,
                           env=environment)  # fmt: skip
    os.close(terminal)
    seen = b""
    until = time.monotonic() + 20
    while b"(hold)" not in seen and time.monotonic() < until:
        seen += os.read(main, 65536)
    os.write(main, b"q")
    assert top.wait(20) == 0
    os.close(main)
    assert b"headroom lab" in seen and b"(hold)" in seen
    live.ok("cancel", job)
