"""Checks the programs themselves (preset release): muster is one static file within its size
budget, hardened and without NSS; muster-krb5 and the feed library run on every C library since
glibc 2.17."""

import re
import subprocess
import sys

import archives
import tree as trees

sys.path.insert(0, str(trees.ROOT / "tools"))
import layers as table  # noqa: E402

BUDGET = 20_000_000
NSS_MEMBER = re.compile(
    r"libc\.a\((getaddrinfo|getnameinfo|getpw\w+|getgr(gid|nam|ent)\w*|initgroups|gethst\w+"
    r"|getsrv\w+|nss_\w+)\.o\)")

GLIBC_MAX = (2, 17)
MUSTER = "build/release/muster"
FORTIFIED = re.compile(r"__(?!stack_)\w+_chk")
PYTHON = re.compile(r"_?Py\w+")


def check(tree):
    folder = tree.root / "build" / "release"
    findings = check_program(folder / "muster")
    for name, provided in (("muster-krb5", None), ("libmuster_feed.so", PYTHON)):
        if (folder / name).exists():
            findings += judge_old(f"build/release/{name}", symbols(folder / name), provided)
    return findings


def symbols(path):
    return read("--dyn-syms", path)


def segments(path):
    return read("-l", path)


def read(what, path):
    return subprocess.run(["readelf", "-W", what, path], capture_output=True, text=True,
                          check=True).stdout


def judge_old(path, table, provided=None):
    """Reports what a host with the oldest C library lacks; `provided` matches what else will be
    there."""
    findings = []
    for kind, name, version in re.findall(r"(\w+)\s+DEFAULT\s+UND (\w+)(?:@+([\w.]+))?", table):
        number = re.fullmatch(r"GLIBC_([\d.]+)", version)
        if number and tuple(map(int, number[1].split("."))) > GLIBC_MAX:
            words = f"{name} is newer than glibc {'.'.join(map(str, GLIBC_MAX))}"
        elif not version and kind != "WEAK" and not (provided and provided.fullmatch(name)):
            words = f"{name} is in no library that it names"
        else:
            continue
        findings.append(trees.Finding(str(path), 1, words))
    return sorted(findings, key=lambda finding: finding.message)


def check_program(binary):
    if not binary.exists():
        return []
    map_file = binary.with_name("muster.map")
    needs = {symbol for archive in archives.of_modules(trees.ROOT, table.load()[0]).values()
             for symbol in archive.needs}
    return [*judge(binary.stat().st_size, map_file.read_text(errors="replace")),
            *judge_hardening(read("-h", binary), segments(binary), read("-d", binary), needs)]


def judge(size, link_map):
    findings = []
    if size > BUDGET:
        findings.append(trees.Finding(MUSTER, 1, f"{size} bytes, {BUDGET} at most"))
    for member in sorted(set(NSS_MEMBER.findall(link_map))):
        findings.append(trees.Finding(
            MUSTER, 1, f"contains {member[0]} of glibc, which needs NSS at run time"))
    return findings


def judge_hardening(header, segments, dynamic, needs):
    """Judges what readelf says about the program, and the symbols that our own objects need."""
    stack = re.search(r"\bGNU_STACK\b.*?\s(R[W ][E ])\s", segments)
    # __memcpy_chk and the like; glibc itself is always compiled this way, so only ours count.
    fortified = any(FORTIFIED.fullmatch(symbol) for symbol in needs)
    wrong = [
        (not re.search(r"Type:\s+DYN\b", header),
         "is not position-independent: link it by -static-pie"),
        (not stack or "E" in stack[1], "has an executable stack"),
        (re.search(r"\bLOAD\b.*\s(RWE|.WE)\s", segments), "has memory to write and to execute"),
        (not re.search(r"\bGNU_RELRO\b", segments), "has no RELRO"),
        (not re.search(r"\b(BIND_NOW|NOW)\b", dynamic), "is not bound at its start: -z now"),
        ("__stack_chk_fail" not in needs, "is compiled without -fstack-protector-strong"),
        (not fortified, "is compiled without _FORTIFY_SOURCE"),
    ]
    return [*judge_segments(MUSTER, segments),
            *(trees.Finding(MUSTER, 1, words) for found, words in wrong if found)]


def judge_segments(path, segments):
    """A program that needs a loader is not static; one that relocates itself has only DYNAMIC."""
    if re.search(r"\bINTERP\b", segments):
        return [trees.Finding(str(path), 1, "is not static")]
    return []
