"""headroom simulate --report: the page that it writes, parsed as a browser would without JavaScript."""

import json
import re
from html.parser import HTMLParser

import pytest
from conftest import ROOT, expect_refusal, headroom

SITE = ROOT / "examples/cluster.yaml"
HISTORY = ROOT / "examples/history.csv"
EVIL = '</script><img src=x onerror=alert(1)>"'
VOID = {"meta", "link", "br", "img", "input", "hr"}


class Page(HTMLParser):
    """Tables as lists of rows of text, scripts, and what would load something."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tables, self.scripts, self.loads, self.tags = [], [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == [], self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        for name, value in attributes:
            if name in ("src", "href", "srcset", "action") and not (value or "").startswith("data:"):
                self.loads.append((tag, name, value))
        if tag == "table":
            self.tables.append({"caption": "", "rows": []})
        elif tag == "tr":
            self.tables[-1]["rows"].append([])
        elif tag in ("td", "th"):
            self.tables[-1]["rows"][-1].append("")
        elif tag == "script":
            self.scripts.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        # option and li are always closed here, and SVG paths close themselves
        assert self.open and self.open.pop() == tag, (tag, self.getpos())

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_data(self, text):
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += text
        elif "caption" in self.open:
            self.tables[-1]["caption"] += text
        elif self.open and {"td", "th"} & set(self.open) and "title" not in self.open:
            self.tables[-1]["rows"][-1][-1] += text

    @property
    def data(self):
        return json.loads(self.scripts[0])

    def table(self, caption):
        return next(table["rows"] for table in self.tables if caption in table["caption"])


def simulate(path, *flags, jobs=HISTORY):
    return headroom("simulate", SITE, "--jobs", jobs, "--report", path, *flags)


def test_the_page_tells_what_the_json_tells(tmp_path):
    report = tmp_path / "out.html"
    outcome = simulate(report, "-o", "json")
    assert outcome.code == 0, outcome.err
    page = Page(report.read_text())
    runs = json.loads(outcome.out)["runs"]
    table = page.table("Times, GPU time and fairness")
    head, rows = table[0], table[1:]
    assert [row[0] for row in rows] == [run["policy"] for run in runs] == ["fifo", "easy", "headroom"]
    for row, run in zip(rows, runs, strict=True):
        cells = dict(zip(head, row, strict=True))
        assert float(cells["Wait P90, h"]) == pytest.approx(run["wait_s"]["p90"] / 3600, abs=0.006)
        used = 100 * run["utilisation"]["allocated"]
        assert float(cells["GPU time allocated, %"]) == pytest.approx(used, abs=0.06)
    for number, run in enumerate(runs):
        picture = page.data["pictures"][number]
        assert picture["name"] == run["policy"]
        held = [layer for layer in picture["gpus"] if layer["kind"] in ("queue", "gathering")]
        lengths = [
            min(picture["step"], picture["length"] - i * picture["step"]) for i in range(len(held[0]["gpus"]))
        ]
        hours = sum(gpus * length for layer in held for gpus, length in zip(layer["gpus"], lengths, strict=True))
        share = hours / picture["most"] / picture["length"]
        assert share == pytest.approx(run["utilisation"]["allocated"], abs=0.001)
        queues = page.table(f"{run['policy']}, headroom_learned, seed 1")
        assert len(queues) > 1
    for section in ("Job, queue", "Lost"):
        assert any(section in row for table in page.tables for row in table["rows"][:1])


def test_it_needs_nothing_but_itself(tmp_path):
    report = tmp_path / "out.html"
    assert simulate(report, "--policy", "headroom").code == 0
    text = report.read_text()
    page = Page(text)
    assert page.loads == []
    assert not re.search(r"url\(\s*[\"']?(?:https?:)?//|@import", text)
    assert "default-src 'none'" in text
    assert len(page.scripts) == 3


def test_the_same_bytes_each_time(tmp_path):
    flags = ["--mtbf", "5d", "--seeds", "1-2", "--policy", "las,headroom"]
    pages = []
    for threads in (1, 2):
        path = tmp_path / f"{threads}.html"
        assert simulate(path, *flags, "--threads", threads).code == 0
        pages.append(path.read_bytes())
    assert pages[0] == pages[1]


def test_names_from_outside_stay_text(tmp_path):
    jobs = tmp_path / "jobs.jsonl"
    job = {"id": f"1{EVIL}", "submit": "2026-11-02T00:00:00Z", "gpus": 8, "ran": "1h", "queue": EVIL}
    jobs.write_text(json.dumps(job) + "\n")
    report = tmp_path / "out.html"
    outcome = simulate(report, "--policy", "easy", jobs=jobs)
    assert outcome.code == 0, outcome.err
    page = Page(report.read_text())
    assert "img" not in page.tags
    assert len(page.scripts) == 3
    assert page.data["pictures"][0]["gpus"][0]["name"] == EVIL
    life = next(table for table in page.tables if table["rows"][0][0] == "Job, queue")
    assert life["rows"][1][0] == f"1{EVIL}{EVIL}"


def test_a_path_that_cannot_be_written(tmp_path):
    expect_refusal(simulate(tmp_path / "no/out.html"), "--report", "no/out.html", "No such file")
    expect_refusal(simulate(tmp_path), "--report", "not a regular file")
    assert list(tmp_path.iterdir()) == []


def test_bad_input_leaves_no_page(tmp_path):
    expect_refusal(simulate(tmp_path / "out.html", "--set", "nodes=0"), "nodes=0")
    assert list(tmp_path.iterdir()) == []


def test_not_with_observed(tmp_path):
    expect_refusal(simulate(tmp_path / "out.html", "--observed"), "--report", "--observed")


def test_a_page_of_many_runs_is_bounded(tmp_path):
    report = tmp_path / "out.html"
    outcome = simulate(report, "--policy", "fifo,easy,headroom", "--sweep", "nodes=32-36", "--mtbf", "5d")
    assert outcome.code == 0, outcome.err
    page = Page(report.read_text())
    assert report.stat().st_size < 3_000_000
    assert len(page.data["pictures"]) == 12
    assert len(page.table("Times, GPU time and fairness")) == 1 + 3 * 5
