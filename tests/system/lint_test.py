"""headroom lint and the published JSON Schemas hold files to the same rules."""

import json

import pytest
from conftest import ROOT, headroom

yaml = pytest.importorskip("yaml")
jsonschema = pytest.importorskip("jsonschema")

CLUSTER = ROOT / "examples/cluster.yaml"
JOB = ROOT / "examples/job.yaml"

# What is replaced in an example by what, to plant a mistake that both must see.
CLUSTER_MISTAKES = {
    "an unknown key": ("rack_size: 4", "rack_sice: 4"),
    "a bare number where a unit is needed": ("memory: 2TiB", "memory: 2048"),
    "a unit of the wrong kind": ("rack_power: 44kW", "rack_power: 44GB"),
    "a misspelt unit": ("read: 120GB/s", "read: 120Gb/s"),
    "a text for a number": ("count: 32\n", 'count: "32"\n'),
    "a negative count": ("count: 8, mig", "count: -8, mig"),
    "a GPU count above any node": ("count: 8, mig", "count: 17, mig"),
    "a word that is no choice": ("mig: allowed", "mig: maybe"),
    "a missing key": ("cpu: 112\n", "\n"),
    "a list for a map": ("facility: {rack_power: 44kW", "facility: [{rack_power: 44kW"),
    "a queue's name with a space": ("name: research,", "name: 're search',"),
}
JOB_MISTAKES = {
    "an unknown key": ("gang: 16", "gangs: 16"),
    "a bare number where a unit is needed": ("time: 48h", "time: 48"),
    "a unit of the wrong kind": ("memory: 1TiB", "memory: 1Gbps"),
    "a word that is no choice": ("kind: training", "kind: trainig"),
    "too many GPUs": ("gpus: 8 ", "gpus: 80 "),
    "a level that does not exist": ("required: pod", "required: planet"),
    "a dependency without a number": ("ok:1041", "ok"),
    "a missing part": ("min: 8, max: 32", "min: 8"),
}


def schema_of(kind):
    return json.loads((ROOT / f"schema/{kind}.schema.json").read_text())


def is_valid(kind, text):
    validator = jsonschema.Draft202012Validator(schema_of(kind))
    return all(validator.is_valid(document) for document in yaml.safe_load_all(text))


@pytest.mark.parametrize("kind", ["cluster", "job"])
def test_the_committed_schema_is_the_programs(kind):
    printed = headroom("lint", "--schema", kind)
    assert printed.code == 0
    assert printed.out == (ROOT / f"schema/{kind}.schema.json").read_text()
    jsonschema.Draft202012Validator.check_schema(schema_of(kind))


def test_examples_are_accepted_by_both():
    for kind, path in [("cluster", CLUSTER), ("job", JOB), ("job", ROOT / "examples/jobs-small.yaml")]:
        assert is_valid(kind, path.read_text()), path
        outcome = headroom("lint", path)
        assert outcome.code == 0, outcome.err
        assert outcome.out.startswith(f"{path}: ok ("), outcome.out


@pytest.mark.parametrize("kind, path, mistakes",
                         [("cluster", CLUSTER, CLUSTER_MISTAKES), ("job", JOB, JOB_MISTAKES)])
def test_planted_mistakes_are_refused_by_both(kind, path, mistakes, tmp_path):
    for what, (right, wrong) in mistakes.items():
        text = path.read_text()
        assert right in text, what
        bad = tmp_path / path.name
        bad.write_text(text.replace(right, wrong, 1).replace("pue: 1.3}", "pue: 1.3}]" if "[{" in wrong else "pue: 1.3}"))
        assert not is_valid(kind, bad.read_text()), f"the schema accepts {what}"
        outcome = headroom("lint", bad)
        assert outcome.code == 2, f"lint accepts {what}"
        assert outcome.out == "", what
        for line in outcome.err.splitlines():
            assert line.startswith(f"{bad}:"), f"{what}: {line}"


BAD_YAML = {
    "a duplicate key": b"cluster: c\ncluster: d\nnodes: []\n",
    "an alias bomb": b"cluster: &a [x, x]\nnodes: [*a, *a]\nb: &b [*a, *a, *a]\nc: [*b, *b]\n",
    "deep nesting": b"cluster: " + b"[" * 100_000 + b"\n",
    "a NUL byte": b"cluster: c\0\nnodes: []\n",
    "not UTF-8": b"cluster: \xff\xfe\nnodes: []\n",
    "broken syntax": b"cluster: [c\nnodes: }\n",
    "nothing": b"",
    "a tag": b"cluster: !!python/object:os.system c\nnodes: []\n",
}


@pytest.mark.parametrize("what", BAD_YAML)
def test_hostile_yaml_is_one_line_and_exit_code_2(what, tmp_path):
    path = tmp_path / "cluster.yaml"
    path.write_bytes(BAD_YAML[what])
    outcome = headroom("lint", path, seconds=10)
    assert outcome.code == 2
    assert outcome.out == ""
    lines = outcome.err.splitlines()
    assert lines and all(line.startswith(f"{path}:") for line in lines), outcome.err
