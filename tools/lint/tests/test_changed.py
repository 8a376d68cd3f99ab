import pathlib
import tempfile
import unittest

import changed
import green
from tree import Tree

TEXTS = {".clang-tidy": "Checks: a", "src/job/a.h": "1", "src/job/a.cc": "2", "src/job/b.h": "3",
         "src/job/c.cc": "4", "docs/a.md": "5"}


def record_of(texts):
    return {"commit": "abc123", "when": "2026-01-02 03:04 UTC",
            "files": green.snapshot(Tree(texts=texts))}


def choose(record=None, recent=()):
    return changed.choose(Tree(texts=TEXTS), record, recent)


class ChangedTest(unittest.TestCase):
    def test_nothing_changed(self):
        chosen, why = choose(record_of(TEXTS))
        self.assertEqual(chosen, [])
        self.assertRegex(why[-1], "0 files changed since .* abc123 of 2026-01-02 03:04 UTC; "
                                  "4 others were not looked at")

    def test_what_changed_and_what_is_new(self):
        before = {**TEXTS, "src/job/a.h": "other", "docs/a.md": "other"}
        del before["src/job/c.cc"]
        chosen, why = choose(record_of(before))
        self.assertEqual(chosen, ["src/job/a.cc", "src/job/c.cc"])
        self.assertIn("2 files changed", why[-1])

    def test_a_header_without_a_source_stands_for_itself(self):
        self.assertEqual(choose(record_of({**TEXTS, "src/job/b.h": "?"}))[0], ["src/job/b.h"])

    def test_other_settings_are_another_verdict(self):
        chosen, _ = choose(record_of({**TEXTS, ".clang-tidy": "Checks: b"}))
        self.assertEqual(chosen, ["src/job/a.cc", "src/job/b.h", "src/job/c.cc"])

    def test_without_a_record_the_last_commits(self):
        chosen, why = choose(recent=["docs/a.md", "src/job/c.cc", "src/gone.cc"])
        self.assertEqual(chosen, ["src/job/c.cc"])
        self.assertRegex(why[-1], "no run that passed is known.* 1 file .* 3 others were not")
        self.assertRegex(choose()[1][-1], "changed no C\\+\\+ file; 4 others were not looked at")

    def test_what_there_is_no_time_for_is_told(self):
        names = [f"src/job/d{number:03}.cc" for number in range(changed.FILES + 2)]
        chosen, why = changed.choose(Tree(texts=dict.fromkeys(names, "")), None, names)
        self.assertEqual(chosen, names[:changed.FILES])
        self.assertEqual(why[:2], [f"NOT looked at, though changed: {name}"
                                   for name in names[changed.FILES:]])

    def test_the_record_is_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIsNone(green.read(folder))
            green.record(folder, {"a": "b"}, folder)
            self.assertEqual(green.read(folder)["files"], {"a": "b"})
            self.assertEqual([path.name for path in pathlib.Path(folder).iterdir()], ["green.json"])
            (pathlib.Path(folder) / "green.json").write_text("{")
            self.assertIsNone(green.read(folder))
