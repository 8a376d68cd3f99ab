"""What stands in the docs: all runs of one source, and nothing of a changed tree."""

import pathlib
import subprocess
import tempfile
import unittest

from record import Record, Tree
from table import Elsewhere, Row

WHERE = {"commit": "0123456789", "time": "2026-11-23T04:12:00Z", "load": 0.5}


def row(samples, key="start_up", **options):
    return Row(key, "a start", "ms", samples, "muster run", limit=10, **options)


class RecordTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "measured.json"

    def test_runs_of_one_source_are_pooled(self):
        first = Record(self.file)
        first.add([row([12, 13], peers={"torchrun": [40]})], "same", WHERE)
        first.write()
        again = Record(self.file)
        again.add([row([8, 9, 11], peers={"torchrun": [60]})], "same", dict(WHERE, load=1.5))
        shown, = again.shown()
        self.assertEqual(shown.samples, [12, 13, 8, 9, 11])
        self.assertEqual(shown.peers, {"torchrun": [40, 60]})
        self.assertFalse(shown.met)
        self.assertEqual(shown.stamp, "0123456789, 2026-11-23 04:12, load 1.0")

    def test_runs_of_other_sources_are_forgotten_row_by_row(self):
        record = Record(self.file)
        record.add([row([50]), row([1], key="other")], "old", WHERE)
        record.add([row([5])], "new", dict(WHERE, commit="newer"))
        self.assertEqual({one.key: one.samples for one in record.shown()},
                         {"start_up": [5], "other": [1]})
        self.assertIn("newer", record.shown()[0].stamp)

    def test_what_was_not_measured_replaces_nothing(self):
        record = Record(self.file)
        record.add([row([5])], "old", WHERE)
        record.add([row([])], "new", WHERE)
        self.assertEqual(record.shown()[0].samples, [5])

    def test_a_verdict_of_few_samples_says_so(self):
        record = Record(self.file)
        record.add([row([5, 6, 7, 8])], "s", WHERE)
        self.assertIn("| met, but few |", record.page())
        record.add([row([5])], "s", WHERE)
        self.assertIn("| met |", record.page())
        self.assertIn("6.00 (5.00..8.00) ms, 5 |", record.page())

    def test_what_is_the_same_each_time_needs_one_sample(self):
        record = Record(self.file)
        record.add([row([5], exact=True)], "s", WHERE)
        record.write()
        self.assertIn("| met |", Record(self.file).page())

    def test_other_programs_of_other_days_stand_apart_with_their_source(self):
        record = Record(self.file)
        record.add([row([5], elsewhere=[Elsewhere("TonY", [90], "its paper, 2019")])], "s", WHERE)
        main, _, apart = record.page().partition("not measured in the same run")
        self.assertNotIn("TonY", main)
        self.assertIn("| a start | 5.00 ms | TonY 90.0 ms | its paper, 2019 |", apart)


class TreeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.tree = Tree(self.root)
        self.git("init", "-q")
        self.write("src/a.cc", "1")
        self.write("docs/a.md", "1")
        self.commit()

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@t", *words],
                       cwd=self.root, check=True, stdout=subprocess.DEVNULL)

    def write(self, name, text):
        (self.root / name).parent.mkdir(exist_ok=True)
        (self.root / name).write_text(text)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x")

    def test_a_changed_or_a_new_source_is_seen(self):
        self.assertEqual(self.tree.changed(), [])
        self.write("docs/a.md", "2")
        self.write("bench/measured.json", "{}")
        self.assertEqual(self.tree.changed(), [])
        self.write("src/a.cc", "2")
        self.write("src/b.cc", "1")
        self.assertEqual(self.tree.changed(), ["src/a.cc", "src/b.cc"])

    def test_the_source_changes_with_sources_alone(self):
        before = self.tree.source()
        self.write("docs/a.md", "2")
        self.write("bench/measured.json", "{}")
        self.commit()
        self.assertEqual(self.tree.source(), before)
        self.write("src/a.cc", "2")
        self.commit()
        self.assertNotEqual(self.tree.source(), before)


class PageTest(unittest.TestCase):
    def test_the_page_in_the_docs_is_made_from_the_record(self):
        root = pathlib.Path(__file__).resolve().parents[3]
        page = (root / "docs" / "benchmarks.md").read_text()
        shown = page.partition("<!-- bench -->\n")[2].partition("<!-- /bench -->")[0].strip()
        self.assertEqual(shown, Record(root / "bench" / "measured.json").page().strip())


if __name__ == "__main__":
    unittest.main()
