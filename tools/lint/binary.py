"""The programs themselves (preset ci): muster is one static file within its budget, without NSS in
it; muster-krb5 runs on every C library since glibc 2.17."""

import re
import subprocess

import tree as trees

BUDGET = 15_000_000
NSS_MEMBER = re.compile(
    r"libc\.a\((getaddrinfo|getnameinfo|getpw\w+|getgr(gid|nam|ent)\w*|initgroups|gethst\w+"
    r"|getsrv\w+|nss_\w+)\.o\)")

GLIBC_MAX = (2, 17)


def check(tree):
    folder = tree.root / "build" / "ci"
    return check_program(folder / "muster") + check_helper(folder / "muster-krb5")


def check_helper(binary):
    if not binary.exists():
        return []
    run = subprocess.run(["llvm-readelf-19", "--dyn-syms", "-W", binary], capture_output=True,
                         text=True, check=True)
    return judge_helper(run.stdout)


def judge_helper(symbols):
    newer = {name for name, version in re.findall(r"UND (\w+)@+GLIBC_([\d.]+)", symbols)
             if tuple(map(int, version.split("."))) > GLIBC_MAX}
    return [trees.Finding("build/ci/muster-krb5", 1,
                          f"{name} is newer than glibc {'.'.join(map(str, GLIBC_MAX))}")
            for name in sorted(newer)]


def check_program(binary):
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
