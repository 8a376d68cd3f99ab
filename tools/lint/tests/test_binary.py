"""The checks of the built programs, fed with what the tools print about them."""

import unittest

import binary

HEADER = "  Type:                              DYN (Position-Independent Executable file)"
SEGMENTS = """
  LOAD           0x000000 0x0000000000000000 0x0000000000000000 0x4ab3f8 0x4ab3f8 R   0x1000
  LOAD           0x4ab400 0x00000000004ac400 0x00000000004ac400 0x6dc9b0 0x6dc9b0 R E 0x1000
  LOAD           0xb87db0 0x0000000000b89db0 0x0000000000b89db0 0x0635d0 0x0635d0 RW  0x1000
  DYNAMIC        0xbe0890 0x0000000000be2890 0x0000000000be2890 0x000190 0x000190 RW  0x8
  GNU_RELRO      0xb87db0 0x0000000000b89db0 0x0000000000b89db0 0x0635d0 0x064250 R   0x1
  GNU_STACK      0x000000 0x0000000000000000 0x0000000000000000 0x000000 0x000000 RW  0
"""
DYNAMIC = " 0x000000006ffffffb (FLAGS_1)            Flags: NOW PIE"
NEEDS = {"__stack_chk_fail", "__memcpy_chk"}


def hardening(header=HEADER, segments=SEGMENTS, dynamic=DYNAMIC, needs=frozenset(NEEDS)):
    return [one.message for one in binary.judge_hardening(header, segments, dynamic, needs)]


class BinaryTest(unittest.TestCase):
    def test_finds_what_is_too_large_or_needs_nss(self):
        found = binary.judge(20_000_001, "libc.a(getaddrinfo.o)")
        self.assertEqual(len(found), 2)
        self.assertEqual(binary.judge(20_000_000, "libc.a(read.o)"), [])

    def test_every_part_of_hardening_can_be_missing(self):
        self.assertEqual(hardening(), [])
        row = SEGMENTS.split("\n")
        for words, lacking in (
                ("not static", hardening(segments=SEGMENTS + "  INTERP 0x1 0x1\n")),
                ("position-independent", hardening(header="  Type:  EXEC (Executable file)")),
                ("executable stack", hardening(segments=SEGMENTS.replace("RW  0\n", "RWE 0\n"))),
                ("executable stack", hardening(segments="\n".join(row[:6]))),
                ("to write and to", hardening(segments=SEGMENTS.replace("R E", "RWE"))),
                ("no RELRO", hardening(segments=SEGMENTS.replace("GNU_RELRO", "NOTE"))),
                ("-z now", hardening(dynamic="(FLAGS_1)  Flags: PIE")),
                ("stack-protector", hardening(needs={"__memcpy_chk"})),
                ("_FORTIFY_SOURCE", hardening(needs={"__stack_chk_fail"}))):
            self.assertEqual(len(lacking), 1, (words, lacking))
            self.assertIn(words, lacking[0])

    def test_finds_symbols_that_old_hosts_lack(self):
        symbols = """
            1: 0000000000000000 0 FUNC GLOBAL DEFAULT UND read@GLIBC_2.2.5 (2)
            2: 0000000000000000 0 FUNC GLOBAL DEFAULT UND dlsym@GLIBC_2.34 (3)
        """
        found = binary.judge_old("x", symbols)
        self.assertEqual([finding.message for finding in found], ["dlsym is newer than glibc 2.17"])

    def test_finds_symbols_that_nobody_has(self):
        symbols = """
            1: 0000000000000000 0 NOTYPE GLOBAL DEFAULT UND PyList_Size
            2: 0000000000000000 0 NOTYPE WEAK   DEFAULT UND __gmon_start__
            3: 0000000000000000 0 NOTYPE GLOBAL DEFAULT UND arc4random
        """
        found = binary.judge_old("x", symbols, binary.PYTHON)
        self.assertEqual([one.message for one in found],
                         ["arc4random is in no library that it names"])


if __name__ == "__main__":
    unittest.main()
