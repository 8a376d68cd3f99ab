import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

import build
import scripts
from tree import ROOT, Tree

sys.path.insert(0, str(ROOT / "tools"))
import wrap_markdown  # noqa: E402


class ScriptsTest(unittest.TestCase):
    def test_python_has_to_compile(self):
        found = scripts.python_syntax(Tree(texts={"a.py": "def f(:\n", "b.py": "x = 1\n"}))
        self.assertEqual([finding.path for finding in found], ["a.py"])

    def test_shellcheck_and_ruff_can_fail(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            (root / "tools").symlink_to(ROOT / "tools")
            (root / "run").write_text("#!/usr/bin/env bash\nrm $1\n")
            (root / "a.py").write_text("import os\n")
            tree = Tree(root)
            tree.paths = ["a.py", "run"]
            self.assertEqual([finding.path for finding in scripts.shellcheck(tree)], ["run"])
            self.assertEqual([finding.path for finding in scripts.ruff(tree)], ["a.py"])


class BuildTest(unittest.TestCase):
    def test_a_tree_that_does_not_build_is_a_finding(self):
        with tempfile.TemporaryDirectory() as folder:
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(len(build.check(Tree(folder))), 1)


class WrapMarkdownTest(unittest.TestCase):
    def test_wraps_long_paragraphs_only(self):
        table, code = "| " + "x " * 80 + "|", "    " + "y " * 80
        text = "\n".join(["short\nlines", "", "- " + "word " * 30, "- next", "", table, "", code])
        lines = wrap_markdown.wrapped(text).split("\n")
        self.assertEqual(lines[:2], ["short", "lines"])
        self.assertTrue(lines[3].startswith("- word") and lines[4].startswith("  word"))
        self.assertLessEqual(max(map(len, lines[:6])), 100)
        self.assertIn("- next", lines)
        self.assertIn(table, lines)
        self.assertIn(code, lines)
