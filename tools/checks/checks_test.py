"""Each check finds a fault that is planted in a copy of the tree, and names its place.

(That the checks pass on the tree as it is, ./test shows by running them.)
"""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(check, root):
    program = ["/usr/bin/python3", f"{ROOT}/tools/checks/{check}.py", str(root)]
    result = subprocess.run(program, capture_output=True, text=True, timeout=300)
    return result.returncode, result.stdout + result.stderr


@pytest.fixture
def tree(tmp_path):
    """A copy of the source. Tests add to it or write over it."""
    ignore = shutil.ignore_patterns(".git", "build", "out", "data", "corpus", "__pycache__")
    shutil.copytree(ROOT, tmp_path / "tree", ignore=ignore)
    return tmp_path / "tree"


def plant(tree, name, text):
    """Adds text at the end of a file (which may be new)."""
    path = tree / name
    path.parent.mkdir(exist_ok=True)
    path.write_text((path.read_text() if path.is_file() else "") + text)


def expect_finding(check, tree, place):
    code, output = run(check, tree)
    assert code == 1, output
    assert place in output


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("src/base/rng.cc", '#include "schedule/cluster_state.h"\n', "base may not use schedule"),
        ("src/schedule/planted.h", '#include "formats/openb.h"\n', "schedule may not use formats"),
        ("src/formats/planted.cc", '#include "schedule/cluster_state.h"\n', "formats may not use schedule"),
        ("src/base/rng.cc", '#include "../model/cluster.h"\n', "without .."),
        ("src/base/rng.cc", '#include "base/no_such.h"\n', "no file src/base/no_such.h"),
        ("src/newcomer/x.h", "#pragma once\n", "src/newcomer: not in the table"),
    ],
)
def test_arrows(tree, name, text, place):
    plant(tree, name, text)
    expect_finding("arrows", tree, place)


def test_arrows_of_cmake(tree):
    (tree / "src/model/CMakeLists.txt").write_text("headroom_module(model DEPENDS base schedule)\n")
    expect_finding("arrows", tree, "model may not depend on schedule")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("#include <chrono>\n", "<chrono>"),
        ("#include <thread>\n", "<thread>"),
        ("#include <mutex>\n", "<mutex>"),
        ("#include <fstream>\n", "<fstream>"),
        ("#include <sys/socket.h>\n", "<sys/socket.h>"),
        ("#include <random>\n", "<random>"),
        ("#include <spdlog/spdlog.h>\n", "<spdlog/spdlog.h>"),
        ("auto planted() { return std::chrono::steady_clock::now(); }\n", "a clock"),
        ("auto planted() { return time(nullptr); }\n", "a clock"),
        ("auto planted() { return std::async([] {}); }\n", "a thread"),
        ('auto planted() { return fopen("x", "r"); }\n', "a file"),
        ("auto planted() { return ::socket(1, 2, 3); }\n", "a socket"),
        ('auto planted() { return getenv("HOME"); }\n', "the environment"),
        ('void planted() { std::printf("x"); }\n', "a log"),
        ("void planted() { std::cerr << 1; }\n", "a log"),
        ("std::uniform_int_distribution<int> planted;\n", "std:: randomness"),
        ("void planted() { std::shuffle(a, b, c); }\n", "std:: randomness"),
        ("int planted() { return rand(); }\n", "std:: randomness"),
        ("std::map<const Node*, int> planted;\n", "a pointer as a key"),
    ],
)
def test_core_bans(tree, text, place):
    plant(tree, "src/schedule/planted.cc", text)
    code, output = run("core_rules", tree)
    line = next(line for line in output.splitlines() if line.startswith("src/schedule/planted.cc:1:"))
    assert code == 1 and place in line


@pytest.mark.parametrize("folder", ["model", "schedule", "simulate"])
def test_core_bans_hold_in_each_folder(tree, folder):
    plant(tree, f"src/{folder}/planted.h", "#include <chrono>\n")
    expect_finding("core_rules", tree, f"src/{folder}/planted.h:1: <chrono>")


FLAT = "boost::unordered_flat_map<int, std::vector<int>>"


@pytest.mark.parametrize(
    "text",
    [
        f"void f({FLAT}& table) {{ for (auto& entry : table) {{ }} }}\n",
        f"struct S {{ {FLAT} table_; int f() {{ return table_.begin()->first; }} }};\n",
        "std::unordered_set<int> seen; void f() { for (int x : seen) { } }\n",
        f"using Table = {FLAT}; Table t; void f() {{ for (const auto& [k, v] : t) {{ }} }}\n",
        f"std::vector<{FLAT}> all; void f() {{ for (auto& entry : all) {{ }} }}\n",
        f"const {FLAT}& table(); void f() {{ for (auto& entry : x.table()) {{ }} }}\n",
        "std::unordered_map<int, int> m; auto f() { return std::begin(m); }\n",
    ],
)
def test_iteration_over_a_hash_table(tree, text):
    plant(tree, "src/schedule/planted.cc", text)
    expect_finding("core_rules", tree, "src/schedule/planted.cc:1: iteration")


def test_iteration_over_a_hash_table_of_a_header(tree):
    plant(tree, "src/schedule/planted.h", f"struct S {{ {FLAT} table_; void f(); }};\n")
    code = '#include "schedule/planted.h"\nvoid S::f() { for (auto& e : table_) { } }\n'
    plant(tree, "src/schedule/planted.cc", code)
    expect_finding("core_rules", tree, "src/schedule/planted.cc:2: iteration")


@pytest.mark.parametrize("text", ["double planted = 1;\n", "auto planted = 0.5;\n", "auto x = 1e9;\n"])
@pytest.mark.parametrize("name", ["src/schedule/planted.h", "src/model/planted.cc", "src/base/quantity.h"])
def test_floating_point(tree, name, text):
    plant(tree, name, text)
    expect_finding("core_rules", tree, "floating point in resource arithmetic")


def test_floating_point_list_holds_no_stale_file(tree):
    plant(tree, "tools/checks/floating_point_allowed.txt", "src/model/request.cc: no need\n")
    expect_finding("core_rules", tree, "src/model/request.cc: has no floating point")


def test_core_rules_leave_comments_texts_and_lookups_alone(tree):
    text = (
        "// 0.5 of a double, by std::chrono, with getenv(x) in std::cerr\n"
        'const char* planted = "printf(0.5)"; int big = 1\'000\'000;\n'
        f"{FLAT} table; bool f() {{ return table.find(1) != table.end(); }}\n"
        "void g() { for (int x : table[3]) use(x); for (int x : table.at(3)) use(x); }\n"
    )
    plant(tree, "src/schedule/planted.cc", text)
    before = run("core_rules", ROOT)[1].count("\n")
    assert run("core_rules", tree)[1].count("\n") == before


def test_headers_alone(tmp_path):
    plant_dir = tmp_path / "src/base"
    plant_dir.mkdir(parents=True)
    (plant_dir / "good.h").write_text("#include <string>\nstd::string f();\n")
    assert run("headers_alone", tmp_path)[0] == 0
    (plant_dir / "planted.h").write_text("std::string f();\n")
    expect_finding("headers_alone", tmp_path, "src/base/planted.h: does not compile alone")


def test_formatting(tree):
    plant(tree, "src/base/planted.h", "int   f( );\n")
    expect_finding("formatting", tree, "src/base/planted.h:1")


@pytest.mark.parametrize("name", ["src/base/planted.cc", "docs/planted.md", "tools/planted.py", "planted"])
def test_file_size(tree, name):
    plant(tree, name, "\n" * 500)
    assert "planted" not in run("file_size", tree)[1]
    plant(tree, name, "\n")
    expect_finding("file_size", tree, f"{name}: 501 lines")


@pytest.mark.parametrize("check", ["arrows", "core_rules", "headers_alone", "formatting", "file_size"])
def test_an_empty_tree_does_not_pass(tmp_path, check):
    (tmp_path / "src").mkdir()
    assert run(check, tmp_path)[0] == 1


# A program as `headroom` is for the check of the examples: it has one verb with one example.
PROGRAM = """#!/bin/bash
case "$*" in
  --help) printf 'Subcommands:\\n  verb    does something\\n' ;;
  'verb --help') printf 'Examples:\\n  # shows it\\n  headroom verb %s\\n' "$EXAMPLE" ;;
  'verb good') echo written > out/file; printf 'one\\ntwo\\n' ;;
  *) echo "no: $*" >&2; exit 2 ;;
esac
"""


def run_examples(tmp_path, monkeypatch, document, example, shown=""):
    program = tmp_path / "program"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    monkeypatch.setenv("EXAMPLE", example)
    root = tmp_path / "root"
    (root / "docs").mkdir(parents=True)
    (root / "README.md").write_text(f"# Title\n\n```console\n$ {document}\n{shown}```\n")
    arguments = [f"{ROOT}/tools/checks/examples.py", root, program]
    result = subprocess.run(["/usr/bin/python3", *arguments], capture_output=True, text=True, timeout=60)
    return result.returncode, result.stdout


def test_examples_that_run(tmp_path, monkeypatch):
    code, output = run_examples(tmp_path, monkeypatch, "headroom verb \\\n  good", "good")
    assert code == 0 and "2 examples checked" in output
    assert not (tmp_path / "root/out").exists()


def test_examples_of_documents(tmp_path, monkeypatch):
    code, output = run_examples(tmp_path, monkeypatch, "headroom verb planted", "good")
    assert code == 1 and "README.md: exit 2: headroom verb planted" in output


def test_output_that_a_document_shows(tmp_path, monkeypatch):
    shown = {"one\ntwo\n": 0, "\ntwo\n": 0, "two\none\n": 1, "one\nthree\n": 1}
    for number, (lines, expected) in enumerate(shown.items()):
        folder = tmp_path / str(number)
        folder.mkdir()
        code, output = run_examples(folder, monkeypatch, "headroom verb good", "good", lines)
        assert code == expected and ("does not print" in output) == (expected == 1)


def test_examples_of_help(tmp_path, monkeypatch):
    code, output = run_examples(tmp_path, monkeypatch, "headroom verb good", "planted")
    assert code == 1 and "headroom verb --help: exit 2: headroom verb planted" in output


def test_clang_tidy(tmp_path):
    (tmp_path / "src/base").mkdir(parents=True)
    (tmp_path / "build/test").mkdir(parents=True)
    shutil.copy(ROOT / ".clang-tidy", tmp_path)
    planted = tmp_path / "src/base/planted.cc"
    command = {"directory": str(tmp_path), "file": str(planted), "command": f"g++ -c {planted}"}
    commands = tmp_path / "build/test/compile_commands.json"

    planted.write_text("int f(int x) {\n  return x == 1 ? 1 : x;\n}\n")
    commands.write_text("[]")
    expect_finding("clang_tidy", tmp_path, "planted.cc")  # it is not built, so it was not looked at
    commands.write_text(json.dumps([command]))
    assert run("clang_tidy", tmp_path)[0] == 0
    planted.write_text("int f(int x) {\n  if (x = 1) return 1;\n  return x;\n}\n")
    expect_finding("clang_tidy", tmp_path, "planted.cc:2:")
