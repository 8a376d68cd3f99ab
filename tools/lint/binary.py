"""The programs themselves (preset ci): muster is one static file within its budget, without NSS in
it; muster-krb5 and the feed library run on every C library since glibc 2.17."""

import re
import subprocess

import tree as trees

BUDGET = 15_000_000
NSS_MEMBER = re.compile(
    r"libc\.a\((getaddrinfo|getnameinfo|getpw\w+|getgr(gid|nam|ent)\w*|initgroups|gethst\w+"
    r"|getsrv\w+|nss_\w+)\.o\)")

GLIBC_MAX = (2, 17)
PYTHON = re.compile(r"_?Py\w+")


def check(tree):
    folder = tree.root / "build" / "ci"
    findings = check_program(folder / "muster")
    for name, provided in (("muster-krb5", None), ("libmuster_feed.so", PYTHON)):
        if (folder / name).exists():
            findings += judge_old(f"build/ci/{name}", symbols(folder / name), provided)
    return findings


def symbols(path):
    return read("--dyn-syms", path)


def segments(path):
    return read("-l", path)


def read(what, path):
    return subprocess.run(["readelf", "-W", what, path], capture_output=True, text=True,
                          check=True).stdout


def judge_old(path, table, provided=None):
    """What a host with the oldest C library lacks; `provided` matches what else there will be."""
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
    return judge(binary.stat().st_size, segments(binary), map_file.read_text(errors="replace"))


def judge(size, segments, link_map):
    findings = []
    if size > BUDGET:
        findings.append(trees.Finding("build/ci/muster", 1, f"{size} bytes, {BUDGET} at most"))
    findings += judge_segments("build/ci/muster", segments)
    for member in sorted(set(NSS_MEMBER.findall(link_map))):
        findings.append(trees.Finding(
            "build/ci/muster", 1, f"contains {member[0]} of glibc, which needs NSS at run time"))
    return findings


def judge_segments(path, segments):
    if re.search(r"\b(INTERP|DYNAMIC)\b", segments):
        return [trees.Finding(str(path), 1, "is not static")]
    return []
