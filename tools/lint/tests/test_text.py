import unittest

import names
import text
from tree import Tree


def messages(path, content):
    return [found.message for found in text.of_file(path, content)]


class TextTest(unittest.TestCase):
    def test_measures_columns(self):
        self.assertEqual(messages("a.cc", "x" * 100 + "\n"), [])
        self.assertRegex(messages("a.cc", "x" * 101 + "\n")[0], "101 columns")
        self.assertEqual(messages("a.md", "| " + "x" * 120 + " |\n"), [])
        self.assertEqual(messages("a.md", "https://example.org/" + "x" * 120 + "\n"), [])
        self.assertEqual(messages("a.md", "```\n" + "x" * 120 + "\n```\n"), [])

    def test_rejects_what_never_reaches_main(self):
        for line in ("// FIX" + "ME: later", "// TO" + "DO: later", "cd /" + "work/x",
                     "pip install --index" + "-url https://mirror.example/x", "<<<" + "<<<< HEAD"):
            self.assertEqual(len(messages("a.sh", line + "\n")), 1, line)
        self.assertEqual(messages("a.cc", "// TO" + "DO(issue 9): add it\n"), [])

    def test_rejects_blanks_tabs_and_missing_newlines(self):
        for content in ("a \n", "\ta\n", "a", "a\n\n", "a\r\n"):
            self.assertNotEqual(messages("a.cc", content), [], repr(content))

    def test_headers_have_the_pragma(self):
        self.assertRegex(messages("a.h", "int a;\n")[0], "pragma once")


class NamesTest(unittest.TestCase):
    def messages(self, *paths):
        return [found.message for found in names.check(Tree(texts=dict.fromkeys(paths, "")))]

    def test_rejects_names_that_attract_the_unrelated(self):
        for path in ("a/string_util.py", "a/helpers.py", "common/b.py", "a/misc.sh"):
            self.assertEqual(len(self.messages(path)), 1, path)
        self.assertEqual(self.messages("a/text.py"), [])

    def test_rejects_other_suffixes_and_cases(self):
        self.assertEqual(len(self.messages("a/b.cpp")), 1)
        self.assertEqual(len(self.messages("a/TaskState.py")), 1)

    def test_every_module_has_a_readme(self):
        self.assertEqual(len(self.messages("src/base/a.cc")), 1)
        self.assertEqual(self.messages("src/base/a.cc", "src/base/README.md"), [])
