"""headroom import: what Slurm printed becomes ours, and what was inferred is told."""

from conftest import ROOT, headroom

SLURM = ROOT / "examples/slurm"


def test_jobs_become_a_history_and_what_was_inferred_is_told(tmp_path):
    outcome = headroom("import", "jobs", SLURM / "sacct.txt", "-o", tmp_path / "jobs.csv")
    assert outcome.code == 0, outcome.err
    assert outcome.out == ""
    assert outcome.err.startswith("headroom: 48 jobs\n")
    assert "note: times without a zone are taken as UTC" in outcome.err
    lines = (tmp_path / "jobs.csv").read_text().splitlines()
    assert len(lines) == 49
    assert lines[0].startswith("id,number,")


def test_every_form_tells_the_same(tmp_path):
    first = tmp_path / "jobs.csv"
    assert headroom("import", "jobs", SLURM / "sacct.txt", "-o", first).code == 0
    for form in ("jsonl", "yaml"):
        other, again = tmp_path / f"jobs.{form}", tmp_path / f"{form}.csv"
        assert headroom("import", "jobs", first, "-o", other).code == 0
        assert headroom("import", "jobs", other, "-o", again).code == 0
        assert again.read_text() == first.read_text()


def test_a_job_in_two_files_is_taken_once():
    outcome = headroom("import", "jobs", SLURM / "sacct.txt", SLURM / "sacct.txt")
    assert outcome.code == 0, outcome.err
    assert "48 left out: the job is in a file before, too" in outcome.err


def test_a_configuration_becomes_a_cluster_that_lint_accepts(tmp_path):
    site = tmp_path / "cluster.yaml"
    files = [SLURM / name for name in ("slurm.conf", "topology.conf", "sacctmgr-assoc.txt")]
    outcome = headroom("import", "cluster", *files, "-o", site)
    assert outcome.code == 0, outcome.err
    assert "note: missing" in outcome.err
    lint = headroom("lint", site)
    assert lint.code == 0, lint.out + lint.err
    assert "1 pool, 8 nodes, 64 GPUs" in lint.out


def test_bad_input_is_one_line_and_leaves_nothing_behind(tmp_path):
    dump = tmp_path / "dump.txt"
    dump.write_text((SLURM / "sacct.txt").read_text()[:-20])
    outcome = headroom("import", "jobs", dump, "-o", tmp_path / "jobs.csv")
    assert outcome.code == 2
    assert outcome.err.count("\n") == 1
    assert "the file ends in the middle of a line" in outcome.err
    assert list(tmp_path.iterdir()) == [dump]
    lenient = headroom("import", "jobs", dump, "--lenient", "-o", tmp_path / "jobs.csv")
    assert lenient.code == 0, lenient.err
    assert "1 left out: the row cannot be read" in lenient.err


def test_an_unknown_zone_and_an_unknown_format_say_what_is_allowed():
    zone = headroom("import", "jobs", SLURM / "sacct.txt", "--timezone", "Mars")
    assert zone.code == 2
    assert "allowed: UTC, an offset such as +02:00, or a name such as Europe/Berlin" in zone.err
    form = headroom("import", "jobs", SLURM / "sacct.txt", "--format", "sact")
    assert form.code == 2
    assert "did you mean sacct?" in form.err
