import unittest

import attributes
import tree as trees

HARNESS = "import os\nimport live\n\nPATIENCE = 1\n\n\ndef send(pid):\n    os.kill(pid, 9)\n"


def found(**files):
    texts = {"test/local/harness.py": HARNESS, "test/local/live.py": "def alive():\n    pass\n",
             **{name.replace("__", "/") + ".py": text for name, text in files.items()}}
    return [(one.path, one.line, one.message) for one in attributes.check(trees.Tree(texts=texts))]


class Attributes(unittest.TestCase):
    def test_what_a_module_does_not_have_is_found(self):
        self.assertEqual(
            found(test__web__test_x="import harness\n\n\ndef test():\n    harness.parent_of(1)\n"),
            [("test/web/test_x.py", 5, "there is no `parent_of` in test/local/harness.py")])

    def test_by_another_name_and_from_a_module(self):
        self.assertEqual(len(found(test__local__a="import harness as h\n\nh.gone()\n")), 1)
        self.assertEqual(len(found(test__local__a="from harness import send, gone\n")), 1)

    def test_through_a_module_of_a_module(self):
        self.assertEqual(found(test__local__a="import harness\nharness.live.alive()\n"), [])
        self.assertEqual(len(found(test__local__a="import harness\nharness.live.dead()\n")), 1)

    def test_inside_a_function_that_imports(self):
        text = "def f():\n    import harness\n    return harness.gone, harness.send\n"
        self.assertEqual(len(found(test__local__a=text)), 1)

    def test_what_is_there(self):
        for text in ("import harness\nharness.send(1)\nharness.PATIENCE\nharness.os.getpid()\n",
                     "from harness import PATIENCE, send, os\n",
                     "import harness\nprint(harness.__name__)\n",
                     "import harness\nharness.added = 1\n"):
            self.assertEqual(found(test__local__a=text), [], text)

    def test_a_name_that_is_something_else_meanwhile(self):
        for text in ("import harness\n\n\ndef f(harness):\n    return harness.gone\n",
                     "import harness\n\n\ndef f():\n    harness = 1\n    return harness.gone\n",
                     "import harness\nf = lambda harness: harness.gone\n",
                     "import harness\nharness = 1\nharness.gone\n"):
            self.assertEqual(found(test__local__a=text), [], text)

    def test_a_module_of_the_same_folder_comes_first(self):
        here = {"tools__x__harness": "def gone():\n    pass\n"}
        self.assertEqual(found(tools__x__a="import harness\nharness.gone()\n", **here), [])
        self.assertEqual(len(found(tools__x__a="import harness\nharness.send()\n", **here)), 1)

    def test_names_that_come_in_odd_ways(self):
        module = ("try:\n    import fast\nexcept ImportError:\n    fast = None\n"
                  "for each in ():\n    pass\n\n\ndef f():\n    global later\n    later = 1\n")
        user = "import m\nm.fast, m.each, m.later\n"
        self.assertEqual(found(test__local__m=module, test__local__a=user), [])
        self.assertEqual(len(found(test__local__m=module, test__local__a="import m\nm.no\n")), 1)
        self.assertEqual(found(test__local__m="from x import *\n",
                               test__local__a="import m\nm.no\n"), [])

    def test_a_module_of_python_itself_is_not_ours(self):
        self.assertEqual(found(tools__x__signal="", test__local__a="import signal\nsignal.gone\n"),
                         [])


if __name__ == "__main__":
    unittest.main()
