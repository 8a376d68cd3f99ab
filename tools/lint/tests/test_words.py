import unittest

import words
from tree import Tree

CASES = {
    "is no x": "`memory` is no key", "is no more": "it is no more",
    "no HTTP reply": "no HTTP reply: wrong", "literal address": "is no literal address",
    "1 tasks": "waits for 1 tasks", "stranger": "class Stranger {", "reign": "Reign reign_;",
    "HttpQuestion": "HttpQuestion question;", "let_go_first": "mind_the_end();",
    "from 1 on": "a whole number from 1 on", "he": "a user is who he is", "the 2.": "the 2. master",
}


def messages(path, text, entry=""):
    texts = {path: text + "\n", **({words.ratchet.PATH: entry} if entry else {})}
    return [found.message for found in words.check(Tree(texts=texts))]


class WordsTest(unittest.TestCase):
    def test_every_word_can_fail(self):
        self.assertEqual(set(CASES), {name for name, *_ in words.WORDS})
        for name, line in CASES.items():
            self.assertEqual(len(messages("src/job/a.cc", line)), 1, name)
            self.assertEqual(len(messages("docs/guide.md", line)), 1, name)

    def test_what_is_right_passes(self):
        for line in ("1 task, 11 tasks, 0.1 seconds", "worker:1 restarts", "there is no file",
                     "foreign", "from 10 on", "is not a key", "in 2. and"):
            self.assertEqual(messages("src/job/a.cc", line), [], line)

    def test_texts_of_others_and_what_happened_stay(self):
        for path in ("CHANGELOG.md", "docs/adr/0001-a.md", "src/verdict/corpus/a.md",
                     "python/src/tensorflowonspark/a.py"):
            self.assertEqual(messages(path, "a stranger"), [], path)

    def test_an_allowance_and_an_entry(self):
        self.assertEqual(messages("src/a.cc", "stranger  // lint: allow(words) of RFC 1"), [])
        entry = '[words]\n"stranger" = 1\n'
        self.assertEqual(messages("src/a.cc", "stranger", entry), [])
        found = messages("src/a.cc", "stranger\nstranger", entry)
        self.assertRegex(found[0], "src/a.cc:1(?s:.)*2; .* holds it at 1")
