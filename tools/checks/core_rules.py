"""The bans that keep the core pure, so that the same seed gives the same digest everywhere.

In src/{schedule,performance,simulate} and src/model: no clock, thread, file, socket, environment or
log header or call; no std:: randomness; no pointer as the key of an ordered container. In the core:
no iteration over a hash table. In resource arithmetic (base's quantities, model, schedule): no
floating point, but for the files that floating_point_allowed.txt names with a reason. Tests may do
all of it.
"""

import functools
import re
import sys

from source import code_only, files, includes, line_of, report, root_from_arguments

CORE = ("src/schedule", "src/performance", "src/simulate", "src/model")
INTEGER_ONLY = ("src/base/quantity.h", "src/base/id.h", "src/base/digest", "src/model/", "src/schedule/")
ALLOWED = "tools/checks/floating_point_allowed.txt"

BANNED_HEADERS = re.compile(
    r"^(chrono|ctime|time\.h|sys/.*"  # clocks
    r"|thread|mutex|shared_mutex|condition_variable|future|atomic|semaphore|latch|barrier|stop_token"
    r"|pthread\.h|coroutine|execution"  # threads
    r"|fstream|iostream|istream|ostream|cstdio|stdio\.h|filesystem|fcntl\.h|unistd\.h"  # files
    r"|netinet/.*|arpa/.*|netdb\.h|boost/(asio|beast)/.*|curl/.*"  # sockets
    r"|csignal|signal\.h|syslog\.h|spdlog/.*|random)$"
)
BANNED_NAMES = {
    "a clock": r"std::chrono|\b(?:clock_gettime|gettimeofday|localtime|gmtime|mktime|clock)\s*\("
    r"|(?<![\w.>:])(?:std::)?time\s*\(\s*(?:0|NULL|nullptr|&)",
    "a thread": r"std::(?:jthread|thread|async|mutex|atomic|this_thread)\b|\bthread_local\b",
    "a file": r"\b(?:fopen|freopen|opendir)\s*\(|std::(?:[io]?fstream|filesystem)\b",
    "a socket": r"(?<![\w.>:])::?(?:socket|connect|accept)\s*\(",
    "the environment": r"\b(?:secure_getenv|getenv|setenv|putenv)\s*\(|\benviron\b",
    "a log": r"\b(?:f?printf|f?puts|perror|syslog)\s*\(|std::(?:cout|cerr|clog)\b|\bspdlog::",
    "std:: randomness": r"std::(?:\w+_distribution|mt19937\w*|minstd_rand0?|default_random_engine"
    r"|random_device|shuffle|sample|random_shuffle)\b|std::ranges::(?:shuffle|sample)\b"
    r"|(?<![\w.>:])(?:std::)?s?rand\s*\(",
    "a pointer as a key": r"std::(?:multi)?(?:map|set)\s*<\s*(?:const\s+)?[\w:]+\s*(?:const\s*)?\*",
}
FLOATING = re.compile(r"\b(?:double|float)\b|(?<![\w.'])(?:\d[\d']*\.\d*|\.\d+|\d+(?:\.\d*)?e[-+]?\d+)f?\b")
HASH_TYPE = r"\b(?:std::|boost::)?unordered_(?:flat_|node_)?(?:multi)?(?:map|set)\b"


@functools.cache
def code_of(path):
    return code_only(path.read_text())


def template_end(text, start):
    """The offset behind the `>` that closes the `<` at start."""
    depth = 0
    for offset in range(start, len(text)):
        depth += {"<": 1, ">": -1}.get(text[offset], 0)
        if depth == 0:
            return offset + 1
    return len(text)


def hash_names(text):
    """Names of variables, members and functions whose type is a hash table, aliases included."""
    names = set()
    types = [HASH_TYPE]
    for alias in re.finditer(rf"\busing\s+(\w+)\s*=\s*(?:[\w:]+::)?{HASH_TYPE}", text):
        types.append(rf"\b{alias[1]}\b")
    for match in re.finditer("|".join(types), text):
        rest = text[match.end() :]
        opening = re.match(r"\s*<", rest)
        if opening:
            rest = rest[template_end(rest, opening.end() - 1) :]
        # through references, const and the closers of an enclosing type (vector<map<…>> x)
        name = re.match(r"[\s&*>]*(?:const\b)?[\s&*]*(\w+)\s*[;={(,)\[]", rest)
        if name:
            names.add(name[1])
    return names


def visible_text(root, path, seen):
    """The code of a file and of our headers that it includes."""
    if path in seen or not path.is_file():
        return ""
    seen.add(path)
    text = code_of(path)
    return text + "".join(
        visible_text(root, root / "src" / name, seen) for _, name, quoted in includes(path) if quoted
    )


def hash_iterations(names, text):
    """(offset, name) of each range-for over, or begin() of, one of the names."""
    if not names:
        return
    name = rf"\b({'|'.join(sorted(names))})"
    for match in re.finditer(rf"\bfor\s*\([^;{{}}]*?[^:]:[^:][^;{{}}]*?{name}\s*(?:\(\s*\))?\s*\)", text):
        yield match.start(), match[1]
    for match in re.finditer(rf"{name}\s*(?:\(\s*\))?\s*(?:\.|->)\s*c?r?begin\s*\(", text):
        yield match.start(), match[1]
    for match in re.finditer(rf"\bbegin\s*\(\s*(?:\w+(?:\.|->))*{name}\s*\)", text):
        yield match.start(), match[1]


def check_core_file(root, path):
    where = path.relative_to(root)
    for number, name, _ in includes(path):
        if BANNED_HEADERS.match(name):
            yield f"{where}:{number}: <{name}> is not for the core"
    text = code_of(path)
    for what, pattern in BANNED_NAMES.items():
        for match in re.finditer(pattern, text):
            yield f"{where}:{line_of(text, match.start())}: {what} is not for the core: {match[0]}"
    for offset, name in hash_iterations(hash_names(visible_text(root, path, set())), text):
        yield f"{where}:{line_of(text, offset)}: iteration over the hash table {name}: its order is not ours"


def read_allowed(root):
    """{file: reason} of the list; a line is `path: reason`."""
    allowed = {}
    path = root / ALLOWED
    for line in path.read_text().splitlines() if path.is_file() else []:
        if line.strip() and not line.startswith("#"):
            name, _, reason = line.partition(":")
            allowed[name.strip()] = reason.strip()
    return allowed


def check_floating_point(root, paths):
    allowed = read_allowed(root)
    for name, reason in allowed.items():
        if not reason:
            yield f"{ALLOWED}: {name}: a reason is missing"
        if not (root / name).is_file() or not FLOATING.search(code_of(root / name)):
            yield f"{ALLOWED}: {name}: has no floating point (any more); remove the line"
    for path in paths:
        name = str(path.relative_to(root))
        if not name.startswith(INTEGER_ONLY) or name in allowed:
            continue
        text = code_of(path)
        for match in FLOATING.finditer(text):
            yield f"{name}:{line_of(text, match.start())}: floating point in resource arithmetic: {match[0]}"


def check(root):
    sources = [p for p in files(root, {".h", ".cc"}, ("src",)) if not p.stem.endswith("_test")]
    core = [p for p in sources if str(p.relative_to(root)).startswith(tuple(f + "/" for f in CORE))]
    findings = [finding for path in core for finding in check_core_file(root, path)]
    findings += check_floating_point(root, sources)
    return report(findings, len(core), "core files")


if __name__ == "__main__":
    sys.exit(check(root_from_arguments()))
