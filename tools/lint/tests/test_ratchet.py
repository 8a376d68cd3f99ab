import pathlib
import tempfile
import unittest

import ratchet
from tree import Finding, Tree

TEXT = '[words]\n"a" = 3\n"b" = 1\n\n[seam]\n"x.cc" = 2\n'


def tree_of(text):
    return Tree(texts={ratchet.PATH: text})


def measured(**amounts):
    return {key: (amount, Finding("src/a.cc", 7, f"too much {key}"))
            for key, amount in amounts.items()}


class RatchetTest(unittest.TestCase):
    def test_holds_what_there_is_and_lets_nothing_in(self):
        judge = lambda **amounts: [  # noqa: E731
            found.message for found in ratchet.judge(tree_of(TEXT), "words", measured(**amounts))]
        self.assertEqual(judge(a=3, b=1), [])
        self.assertEqual(judge(a=1), [])
        self.assertEqual(judge(c=1), ["too much c"])
        self.assertRegex(judge(a=4)[0], "too much a\\n.*4; .* holds it at 3")

    def test_tells_what_can_be_lowered(self):
        stale = lambda **amounts: ratchet.stale(  # noqa: E731
            tree_of(TEXT), "words", measured(**amounts))
        self.assertEqual(stale(a=3, b=1), [])
        self.assertIn("1 entry of [words] can", stale(a=2, b=1)[0])
        self.assertIn("2 entries of [words] can", stale(a=2)[0])

    def test_lowers_and_never_raises(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / ratchet.PATH
            path.parent.mkdir(parents=True)
            path.write_text(TEXT)
            ratchet.lower(Tree(root=folder), {"words": lambda _: measured(a=2, c=9)})
            found = ratchet.entries(tree_of(path.read_text()))
            self.assertEqual(found["words"], {"a": 2})
            self.assertEqual(found["seam"], {"x.cc": 2})
            self.assertEqual(set(found), set(ratchet.SECTIONS))

    def test_makes_a_check_of_what_is_measured(self):
        check, advice = ratchet.of("words", lambda _: measured(a=2, c=1))
        self.assertEqual([found.message for found in check(tree_of(TEXT))], ["too much c"])
        self.assertIn("2 entries of [words] can", advice(tree_of(TEXT))[0])

    def test_neither_praises_nor_lowers_what_cannot_be_measured(self):
        def measure(_):
            raise ratchet.NotMeasuredError(Finding("build", 1, "has no muster"))
        check, advice = ratchet.of("words", measure)
        self.assertEqual([found.message for found in check(tree_of(TEXT))], ["has no muster"])
        self.assertEqual(advice(tree_of(TEXT)), [])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / ratchet.PATH
            path.parent.mkdir(parents=True)
            path.write_text(TEXT)
            with self.assertRaises(ratchet.NotMeasuredError):
                ratchet.lower(Tree(root=folder), {"words": measure})
            self.assertEqual(path.read_text(), TEXT)
