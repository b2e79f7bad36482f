"""The steps of ./test: builds, runs every runner, adds up what they counted.

A step returns cases. A step that cannot run is a failed case: nothing passes silently. Output of a
command goes to out/test/ and is shown (its end) when it fails. Every command has a time limit.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from runners import (  # noqa: E402
    FAILED,
    PASSED,
    SKIPPED,
    Case,
    StepFailed,
    build,
    in_parallel,
    run,
    run_gtest,
    run_pytest,
)

ROOT = Path(__file__).resolve().parent.parent
CHECKS = ["arrows", "core_rules", "headers_alone", "formatting", "file_size"]
SANITIZED = ["base", "model", "formats", "schedule", "simulate", "store"]  # the core, what is read
SIMTEST_SEEDS = 800  # about half a minute on one core
KILLS = 100  # of the live server; about a minute
FUZZ_SECONDS = 100  # for all targets together, on all cores
FUZZ_RUNS = 10_000  # of each target, always the same ones: new finds are for longer runs by hand


def build_test():
    build("test")
    return []


def checks():
    return in_parallel(
        [
            lambda name=name: run(f"check-{name}", ["/usr/bin/python3", f"tools/checks/{name}.py"], 300)
            for name in CHECKS
        ]
    )


def check_faults():
    return run_pytest("planted-faults", ["tools"], 900)


def clang_tidy():
    return [run("check-clang_tidy", ["/usr/bin/python3", "tools/checks/clang_tidy.py"], 900)]


def unit():
    return run_gtests("test", sorted((ROOT / "build/test").glob("**/*_test")))


def asan():
    build("asan", ["headroom", *[f"{name}_test" for name in sanitized_folders()]])
    programs = [ROOT / f"build/asan/src/{name}/{name}_test" for name in sanitized_folders()]
    return run_gtests("asan", programs)


def sanitized_folders():
    return [name for name in SANITIZED if any((ROOT / "src" / name).glob("*_test.cc"))]


# Lives of random sites, seeds that failed once, and faults planted on purpose.
def simtest():
    program = ROOT / "build/test/tests/simtest/headroom-simtest"
    if not program.is_file():
        raise StepFailed(f"{program.relative_to(ROOT)} is not built")
    return in_parallel(
        [
            lambda: run("simtest-seeds", [program, "--seeds", f"1-{SIMTEST_SEEDS}"], 600),
            lambda: run("simtest-known", [program, "--seeds", "tests/seeds.txt"], 300),
            lambda: run("simtest-mutants", [program, "--mutants", "--seeds", "1-1000"], 600),
        ]
    )


def run_gtests(label, programs):
    programs = [program for program in programs if program.is_file()]
    if not programs:
        raise StepFailed(f"build/{label} has no test programs")
    results = in_parallel([lambda p=program: run_gtest(label, p, 900) for program in programs])
    return [case for cases in results for case in cases]


def fuzz():
    names = [path.stem for path in sorted((ROOT / "fuzz").glob("*_fuzz.cc"))]
    if not names:
        raise StepFailed("fuzz/ has no targets")
    build("fuzz", names)
    targets = [ROOT / "build/fuzz/fuzz" / name for name in names]
    seconds = max(2, min(20, FUZZ_SECONDS * (os.cpu_count() or 1) // len(targets)))
    return in_parallel([lambda t=target: run_fuzz(t, seconds) for target in targets])


def run_fuzz(target, seconds):
    name = target.name.removesuffix("_fuzz")
    seeds = ROOT / "fuzz/corpus" / name
    if not seeds.is_dir() or not any(seeds.iterdir()):
        return Case(target.name, FAILED, f"fuzz/corpus/{name} has no seeds")
    with tempfile.TemporaryDirectory() as found:
        return run(
            target.name,
            [target, f"-max_total_time={seconds}", f"-runs={FUZZ_RUNS}", "-seed=1", "-timeout=10",
             "-rss_limit_mb=2048",
             "-print_final_stats=1", f"-artifact_prefix={ROOT}/out/test/{name}-", found, seeds],
            seconds + 120,
        )  # fmt: skip


def static():
    build("static", ["headroom"])
    return []


def system():
    build("release")
    build("dev", ["headroom"])
    # The load on the real Slurm takes minutes and mostly sleeps; so does the killing.
    slurm = "tests/system/slurm_test.py"
    results = in_parallel(
        [
            lambda: run_pytest("slurm", [slurm], 1500),
            lambda: [run("killloop", ["tools/killloop", "--cycles", KILLS], 900)],
            lambda: run_pytest("system", ["tests/system", f"--ignore={slurm}"], 1200),
        ]
    )
    return [case for cases in results for case in cases]


def examples():
    return [run("check-examples", ["/usr/bin/python3", "tools/checks/examples.py"], 600)]


STEPS = {
    "build": build_test,
    "checks": checks,
    "planted-faults": check_faults,
    "unit": unit,
    "simtest": simtest,
    "examples": examples,
    "clang-tidy": clang_tidy,
    "asan": asan,
    "fuzz": fuzz,
    "static": static,
    "system": system,
}
QUICK = ["build", "checks", "unit"]


def take_step(name):
    start = time.monotonic()
    try:
        cases = STEPS[name]()
    except StepFailed as failure:
        cases = [Case(name, FAILED, str(failure))]
    except Exception as error:  # a mistake in this program is a failed step, not a lost one
        cases = [Case(name, FAILED, f"{type(error).__name__}: {error}")]
    seconds = time.monotonic() - start
    for case in cases:
        if case.outcome == FAILED:
            print(f"--- {case.name} failed\n{case.output}\n---")
    print(f"{name}: {summary(cases) if cases else 'done'} ({seconds:.0f} s)", flush=True)
    return cases


def summary(cases):
    count = {outcome: sum(c.outcome == outcome for c in cases) for outcome in (PASSED, FAILED, SKIPPED)}
    text = f"{count[PASSED]} passed, {count[FAILED]} failed"
    return text + (f", {count[SKIPPED]} skipped" if count[SKIPPED] else "")


def main():
    parser = argparse.ArgumentParser(prog="./test", description="Builds and runs every test.")
    parser.add_argument("steps", nargs="*", metavar="STEP", help="only these steps")
    parser.add_argument("--quick", action="store_true", help=f"only {', '.join(QUICK)}")
    parser.add_argument("--list", action="store_true", help="names the steps")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(STEPS))
        return 0
    unknown = [name for name in arguments.steps if name not in STEPS]
    if unknown:
        parser.error(f"no step {unknown[0]!r} (there are: {', '.join(STEPS)})")
    os.chdir(ROOT)
    start = time.monotonic()
    cases = []
    for name in arguments.steps or (QUICK if arguments.quick else STEPS):
        cases += take_step(name)
    for case in cases:
        if case.outcome == SKIPPED:
            print(f"skipped: {case.name} {case.output}".rstrip())
    for case in cases:
        if case.outcome == FAILED:
            print(f"failed: {case.name}")
    failed = any(case.outcome == FAILED for case in cases)
    hint = "; the output of each command is in out/test/" if failed else ""
    print(f"all steps: {time.monotonic() - start:.0f} s{hint}")
    print(summary(cases))
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
