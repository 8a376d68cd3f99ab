"""The program itself: one static file within its budget, without NSS in it (preset ci)."""

import re
import subprocess

import tree as trees

BUDGET = 15_000_000
NSS_MEMBER = re.compile(
    r"libc\.a\((getaddrinfo|getnameinfo|getpw\w+|getgr(gid|nam|ent)\w*|initgroups|gethst\w+"
    r"|getsrv\w+|nss_\w+)\.o\)")


def check(tree):
    binary = tree.root / "build" / "ci" / "muster"
    if not binary.exists():
        return []
    run = subprocess.run(["llvm-readelf-19", "-lW", binary], capture_output=True, text=True,
                         check=True)
    map_file = binary.with_name("muster.map")
    return judge(binary.stat().st_size, run.stdout, map_file.read_text(errors="replace"))


def judge(size, segments, link_map):
    findings = []
    if size > BUDGET:
        findings.append(trees.Finding("build/ci/muster", 1, f"{size} bytes, {BUDGET} at most"))
    if re.search(r"\b(INTERP|DYNAMIC)\b", segments):
        findings.append(trees.Finding("build/ci/muster", 1, "is not static"))
    for member in sorted(set(NSS_MEMBER.findall(link_map))):
        findings.append(trees.Finding(
            "build/ci/muster", 1, f"contains {member[0]} of glibc, which needs NSS at run time"))
    return findings
