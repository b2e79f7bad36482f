"""The API against its own OpenAPI document, by schemathesis: made-up requests, good and bad, to every
operation. No answer is 5xx, none is undocumented, each has the form that the document says."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from live_server import LiveServer

ROOT = Path(__file__).resolve().parents[2]
PINNED = ROOT / "tools/schemathesis.txt"  # it and all that it needs, each in one version
CLUSTER = """\
cluster: lab
nodes:
  - {pool: a, count: 2, name: 'n[1-2]', gpu: {model: G2, count: 4, memory: 16GB}, cpu: 64, memory: 256GiB}
queues:
  - {name: red}
  - {name: red/one}
  - {name: blue}
"""
CHECKS = ("not_a_server_error", "status_code_conformance", "content_type_conformance",
          "response_headers_conformance", "response_schema_conformance", "unsupported_method")  # fmt: skip
ENDLESS = "followEvents"
# Nobody of this machine: what is made up as a command runs nowhere.
USER = "made-up-user"


@pytest.fixture(scope="module")
def schemathesis():
    """The environment that finds it. Installed once, from PyPI."""
    folder = ROOT / "out/python" / next(
        line.strip().replace("==", "-") for line in PINNED.read_text().splitlines()
        if line.startswith("schemathesis==")
    )  # fmt: skip
    if not (folder / "complete").is_file():
        result = subprocess.run(
            ["/usr/bin/python3", "-m", "pip", "install", "--quiet", "--no-deps", "--upgrade",
             "--target", str(folder), "--requirement", str(PINNED)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        if result.returncode != 0:
            pytest.skip(f"schemathesis cannot be installed: {result.stderr.strip()[-200:]}")
        (folder / "complete").touch()
    return {**os.environ, "PYTHONPATH": str(folder)}


@pytest.fixture(scope="module")
def server():
    with LiveServer(CLUSTER) as live:
        roles = {"items": [{"subject": USER, "role": "admin", "queue": ""}]}
        assert live.call("PUT", "/roles", roles).status == 200
        live.fuzz = live.new_token(USER)
        number = live.submit(job="says", queue="blue", run="echo said")
        live.until_state(number, "completed")
        for node in ("n1", "n2"):
            assert live.post(f"/nodes/{node}/drain").status == 200
        yield live


def test_the_document_names_every_operation_once(server):
    document = server.get("/openapi.json").json
    assert document["openapi"].startswith("3.1")
    ids = [one["operationId"] for path in document["paths"].values() for one in path.values()]
    assert len(ids) == len(set(ids)) > 30


def test_made_up_requests(server, schemathesis, tmp_path):
    report = tmp_path / "report.json"
    result = subprocess.run(
        ["/usr/bin/python3", "-m", "schemathesis.cli", "run",
         f"http://127.0.0.1:{server.port}/api/v1/openapi.json",
         "--header", f"Authorization: Bearer {server.fuzz}", "--checks", ",".join(CHECKS),
         "--exclude-operation-id", ENDLESS, "--phases", "coverage,fuzzing", "--max-examples", "10",
         "--seed", "1", "--no-shrink", "--continue-on-failure", "--request-timeout", "20",
         "--suppress-health-check", "all", "--report-json-path", str(report), "--no-color"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, cwd=tmp_path,
        env=schemathesis,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-2000:]
    assert server.process.poll() is None
    assert json.loads(report.read_text())
    assert server.get("/readyz").status == 200
    # They came, to every operation, and good ones were among them.
    requests = server.log()
    assert requests.count("principal=" + USER) > 500
