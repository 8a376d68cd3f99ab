import collections
import pathlib
import shutil
import tempfile
import unittest

import tidy
from tree import ROOT

FLAGS = ("-std=c++23",)


class TidyTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        (self.root / "src").mkdir()
        shutil.copy(ROOT / ".clang-tidy", self.root)
        self.flags = collections.defaultdict(lambda: FLAGS)
        self.cache = tidy.Cache(self.root, self.flags, self.root / "cache")

    def file(self, name, text):
        path = self.root / "src" / name
        path.write_text(text)
        return path

    def test_finds_and_remembers(self):
        clean = self.file("a.cc", "namespace { int one() { return 1; } }\nint a() "
                                  "{ return one(); }\n")
        clash = self.file("b.cc", "namespace { int one() { return 2; } }\nint b() "
                                  "{ return one(); }\n")
        dirty = self.file("c.cc", "int BadName(int* p) { if (p == 0) return 1; return 2; }\n")
        found = tidy.of_batch(self.root, self.cache, [clean, clash, dirty], FLAGS)
        self.assertEqual({finding.path for finding in found}, {"src/c.cc"})
        text = " ".join(finding.message for finding in found)
        for rule in ("readability-identifier-naming", "modernize-use-nullptr",
                     "readability-braces-around-statements"):
            self.assertIn(rule, text)
        known = [self.cache.knows(path) for path in (clean, clash, dirty)]
        self.assertEqual(known, [True, True, False])

    def test_a_changed_header_is_looked_at_again(self):
        header = self.file("h.h", "#pragma once\nint one();\n")
        source = self.file("s.cc", '#include "h.h"\nint one() { return 1; }\n')
        before = self.cache.key(source)
        header.write_text("#pragma once\nint one();\nint two();\n")
        tidy.contents.cache_clear()
        after = self.cache.key(source)
        self.assertNotEqual(after, before)
        self.flags[header] = ("-O2",)
        self.assertEqual(self.cache.key(source), after)
        self.flags[source] = ("-O2",)
        self.assertNotEqual(self.cache.key(source), after)

    def test_the_header_of_a_library_is_not_ours(self):
        line = "{}:3:7: error: no definition found [bugprone-x,-warnings-as-errors]\n"
        self.assertEqual(tidy.parse(self.root, line.format("/usr/include/l.h"), 1, ""), [])
        ours = tidy.parse(self.root, line.format(self.root / "src/l.h"), 1, "")
        self.assertEqual([finding.path for finding in ours], ["src/l.h"])
        broken = "/usr/include/l.h:3:7: error: expected ';' [clang-diagnostic-error]\n"
        self.assertEqual(len(tidy.parse(self.root, broken, 1, "")), 1)

    def test_a_crash_is_a_finding(self):
        self.assertEqual(len(tidy.parse(self.root, "", 1, "stack dump")), 1)

    def test_what_only_the_compiler_needs_is_left_out(self):
        entry = {"file": "/x/a.cc", "command": "/usr/bin/ccache /usr/bin/clang++-19 -DX=1 -I/x "
                 "-isystem /y -O2 -std=c++2b -Winvalid-pch -Xclang -include-pch -Xclang /x/p.pch "
                 "-Werror -O0 -o a.o -c /x/a.cc"}
        self.assertEqual(tidy.flags_of(entry), ("-DX=1", "-I/x", "-isystem/y", "-std=c++2b"))

    def test_files_that_are_compiled_together_are_told_apart(self):
        batch = self.root / "build/x/batch/job_0.cc"
        batch.parent.mkdir(parents=True)
        batch.write_text('#include "src/a.cc"  // NOLINT\n#include "src/b.cc"  // NOLINT\n')
        entry = {"file": str(batch), "command": f"/usr/bin/clang++-19 -DX -c {batch}"}
        found = tidy.one_by_one(entry, self.root, "build/x")
        self.assertEqual([one["file"] for one in found],
                         [f"{self.root}/src/a.cc", f"{self.root}/src/b.cc"])
        self.assertEqual({tidy.flags_of(one) for one in found}, {("-DX",)})
        alone = {"file": f"{self.root}/src/a.cc", "command": "clang++-19 -c src/a.cc"}
        self.assertEqual(tidy.one_by_one(alone, self.root, "build/x"), [alone])

    def test_a_choice_covers_headers_by_their_own_check(self):
        only = {"src/job/a.h", "sim/b.h", "src/job/c.cc"}
        for path, covered in (("src/job/c.cc", True), ("src/job/d.cc", False),
                              ("build/x/header_check/job/a.h.cc", True),
                              ("build/x/header_check/sim/b.h.cc", True),
                              ("build/x/header_check/job/b.h.cc", False)):
            self.assertEqual(tidy.covers(only, path, "build/x"), covered, path)
