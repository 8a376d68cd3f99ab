import unittest

import archives
import link
import symbols

LISTING = """lib.a[state.cc.o]: _ZN6muster3job5applyEv T 0 10
lib.a[state.cc.o]: getpwuid U 0 0
lib.a[state.cc.o]: _ZNSt6chrono3_V212steady_clock3nowEv U 0 0
lib.a[machine.cc.o]: _ZN6muster3job5applyEv U 0 0
lib.a[machine.cc.o]: memcpy U 0 0
"""
NEEDS = ("clock_gettime", "getrandom", "pthread_create", "open64", "fopen", "read", "socket",
         "epoll_wait", "getenv", "fork", "_ZSt4cout", "_ZNSt13random_device7_M_finiEv",
         "_ZNSt10filesystem6statusERKNS_7__cxx114pathE", "_ZNSt13basic_filebufIcE4openEv")
PURE = ("memcpy", "abort", "strlen", "fprintf", "stderr", "_Znwm", "_ZNSt6localeC1Ev", "gmtime_r",
        "_ZNSt10filesystem7__cxx114path14_M_split_cmptsEv")


class SymbolsTest(unittest.TestCase):
    def test_reads_a_listing(self):
        archive = archives.parse(LISTING)
        self.assertEqual(archive.needs["getpwuid"], "state.cc.o")
        self.assertNotIn("_ZN6muster3job5applyEv", archive.needs)

    def test_every_ban_can_fail(self):
        for symbol in NEEDS:
            archive = archives.Archive(needs={symbol: "a.cc.o"})
            self.assertEqual(len(symbols.of_module("job", 0, archive)), 1, symbol)
            self.assertEqual(symbols.of_module("os", 2, archive), [], symbol)
        for what, pattern in symbols.BANNED.items():
            self.assertTrue(any(pattern.match(symbol) for symbol in [*NEEDS, "gettimeofday"]), what)

    def test_pure_symbols_pass(self):
        archive = archives.Archive(needs=dict.fromkeys(PURE, "a.cc.o"))
        self.assertEqual(symbols.of_module("job", 0, archive), [])

    def test_nss_is_banned_everywhere(self):
        archive = archives.Archive(needs={"getaddrinfo": "a.cc.o"})
        self.assertEqual(len(symbols.of_module("net", 2, archive)), 1)


class LinkTest(unittest.TestCase):
    MODULES = {"base": {"ring": 0, "uses": [], "libraries": []},
               "rt": {"ring": 2, "uses": ["base"], "libraries": ["ssl"]}}

    def judge(self, name, symbol, owner=None):
        built = {"base": archives.Archive(), "rt": archives.Archive()}
        built[name].needs[symbol] = "a.cc.o"
        if owner:
            built[owner].strong.add(symbol)
        return [found.message for found in
                link.judge(self.MODULES, built, {"ssl": {"SSL_new"}, "re2": {"re2_go"}})]

    def test_resolves_what_the_row_names(self):
        self.assertEqual(self.judge("rt", "_ZN6muster4textEv", "base"), [])
        self.assertEqual(self.judge("rt", "SSL_new"), [])
        self.assertEqual(self.judge("rt", "memcpy"), [])

    def test_rejects_a_module_that_the_row_does_not_name(self):
        self.assertRegex(self.judge("base", "_ZN6muster2rt3runEv", "rt")[0], "rt defines")

    def test_rejects_what_nobody_defines(self):
        self.assertRegex(self.judge("rt", "_ZN6muster2rt3runEv")[0], "nowhere defined")

    def test_rejects_a_library_that_the_row_does_not_name(self):
        self.assertRegex(self.judge("rt", "re2_go")[0], "of re2")
