"""The checks of the built programs, on what the tools print of them."""

import unittest

import binary


class BinaryTest(unittest.TestCase):
    def test_finds_what_is_no_static_program(self):
        found = binary.judge(20_000_000, "  INTERP 0x1", "libc.a(getaddrinfo.o)")
        self.assertEqual(len(found), 3)
        self.assertEqual(binary.judge(1, "  LOAD 0x1", "libc.a(read.o)"), [])

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
