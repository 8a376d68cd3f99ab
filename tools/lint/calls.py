"""Calls that are banned in certain places. `// lint: allow(RULE) why` on the line or the one above
lets one through; the reason is required."""

import ast
import re

import tree as trees

PRODUCT = ("src/",)
TESTS = re.compile(r"(_test\.cc$|^sim/|^testing/|^test/)")

# rule, pattern, where it applies (prefixes), where it does not (prefixes), why
RULES = [
    ("nss", r"\b(getpw(uid|nam|ent)(_r)?|getgr(gid|nam|ent)(_r)?|getgrouplist|initgroups"
     r"|getaddrinfo|getnameinfo|gethostby(name2?|addr)(_r)?|getserv(byname|byport)(_r)?"
     r"|dlopen)\s*\(", PRODUCT, (), "NSS and foreign libraries do not exist in a static program"),
    ("clock", r"\b(system_clock|steady_clock|high_resolution_clock|file_clock)::now\b"
     r"|\b(clock_gettime|gettimeofday|timespec_get)\s*\(|\btime\s*\(\s*(nullptr|NULL|0|&)",
     PRODUCT, ("src/rt/", "src/os/", "src/keeper/", "src/inside/"), "time comes from rt::Clock"),
    ("random", r"\b(random_device|mt19937(_64)?|default_random_engine|getrandom|arc4random)\b"
     r"|\bs?rand\s*\(", PRODUCT, ("src/rt/", "src/os/", "src/inside/"),
     "randomness comes from rt::Random"),
    ("thread", r"\bstd::(thread|jthread|async)\b|\bpthread_create\b", PRODUCT,
     ("src/rt/", "src/os/"), "threads belong to rt and os"),
    ("detached", r"\basio::detached\b|\.detach\(\)", PRODUCT, ("src/rt/",),
     "coroutines and threads are owned by a scope that is awaited"),
    ("environment", r"\b(secure_)?getenv\s*\(|\b(un)?setenv\s*\(|\bputenv\s*\(|::environ\b",
     PRODUCT, ("src/os/", "src/app/", "src/inside/"),
     "the environment is read in os and app, and passed on"),
    ("process", r"\b(v?fork|posix_spawnp?|execv?p?e?|execl[pe]?|clone3?)\s*\(", PRODUCT,
     ("src/os/", "src/keeper/", "src/inside/"), "processes belong to os"),
    ("shell-out", r"\b(popen|system)\s*\(", PRODUCT, (), "start processes through os"),
    ("exit", r"(?<![.\w>:])(std::|::)?(_?exit|quick_exit|abort)\s*\(|std::terminate\b", PRODUCT,
     ("src/app/", "src/os/", "src/keeper/", "src/inside/", "src/base/check.cc"),
     "return a Status"),
    ("throw", r"\bthrow\b", PRODUCT, (), "return a Result"),
    ("stream", r"\bstd::(cout|cerr|clog|cin|endl)\b", PRODUCT, (), "use fmt or the log"),
    ("unsafe", r"(?<![.\w>])(std::|::)?(strcpy|strcat|v?sprintf|gets|strtok|tmpnam|mktemp"
     r"|strerror|localtime|gmtime|asctime|ctime|rand)\s*\(", ("src/", "sim/", "testing/"), (),
     "unbounded or not thread-safe"),
    ("regex", r"\bstd::(basic_)?regex\b", PRODUCT, (), "use RE2 (in verdict)"),
    ("hook", r"#\s*if.*\b\w*(TEST|MOCK)\w*|\bFRIEND_TEST\b|\bfriend\s+class\s+\w*Test\b",
     PRODUCT, (), "no test hook in product code: faults enter through seams"),
    ("sleep", r"\b(u|nano|clock_nano)?sleep\s*\(|\bsleep_(for|until)\s*\(",
     ("src/", "sim/", "testing/", "test/", "fuzz/"), (), "wait for the event, not for time"),
]
COMPILED = [(rule, re.compile(pattern), where, but, why)
            for rule, pattern, where, but, why in RULES]
USING = re.compile(r"^\s*using\s+namespace\b")


def check(tree):
    findings = []
    for path in tree.cpp():
        findings += of_cpp(path, tree.code(path), tree.text(path).split("\n"))
    for path in tree.python():
        if TESTS.search(path):
            findings += of_python_test(path, tree.text(path))
    return findings


def of_cpp(path, code, lines):
    findings = []
    for number, line in enumerate(code.split("\n"), 1):
        if path.endswith(".h") and USING.match(line):
            findings.append(trees.Finding(path, number, "using namespace in a header"))
        for rule, pattern, where, but, why in COMPILED:
            if not path.startswith(where) or path.startswith(but or "\0"):
                continue
            if path.endswith("_test.cc") and rule not in ("sleep", "unsafe", "nss"):
                continue
            match = pattern.search(line)
            if match and not trees.allowed(lines, number, rule):
                findings.append(trees.Finding(
                    path, number, f"{' '.join(match.group().split())}: {why} [{rule}]"))
    return findings


def of_python_test(path, text):
    try:
        module = ast.parse(text)
    except SyntaxError:
        return []  # The check `scripts` reports it.
    lines = text.split("\n")
    return [trees.Finding(path, node.lineno, "sleep: wait for the event, not for time [sleep]")
            for node in ast.walk(module)
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("time.sleep", "sleep")
            and not trees.allowed(lines, node.lineno, "sleep")]
