"""./quickstart and the report that it leaves."""

import re
import subprocess

from conftest import ROOT


def test_quickstart_ends_with_a_report_that_needs_no_network_and_how_to_go_live():
    report = ROOT / "out/pack.html"
    report.unlink(missing_ok=True)
    command = [ROOT / "quickstart"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=900, stdin=subprocess.DEVNULL)
    assert result.returncode == 0, result.stderr
    assert str(report) in result.stdout.splitlines()[-2]
    assert "headroom serve --cluster" in result.stdout.splitlines()[-1]
    page = report.read_text()
    assert page.startswith("<!doctype html>") or page.startswith("<!DOCTYPE html>")
    for placement in ("random", "best_fit", "fgd", "headroom", "headroom_learned"):
        assert placement in page
    assert not re.search(r"""(?:src|href)\s*=\s*["']?(?:https?:)?//|url\(\s*["']?(?:https?:)?//|@import""", page)
