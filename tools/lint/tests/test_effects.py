import unittest

import effects
from tree import Tree

TEXTS = {
    "docs/reference/spec.md": "| `a` | group | x |\n| `a.b` | text | y |\n| `c` | text | z |\n",
    "docs/reference/failures.md": "| `user.x` | it failed | user | restart | |\n",
    "docs/reference/commands.md": "`--quick`\n",
    "docs/reference/environment.md": "| `SOME_NAME` | x |\n",
    "test/local/test_a.py": 'def test_b():\n    run({"b": 1}, "--quick", "SOME_NAME", "user.x")\n',
    "src/m/c_test.cc": "TEST(Suite, Works) {\n  c = 1;\n}\nTEST(Suite, Other) {\n}\n",
}
LIST = ('[keys]\n"a.b" = "test/local/test_a.py::test_b"\n'
        '"c" = "src/m/c_test.cc::Suite.Works"\n')


def messages(listed=LIST, **changed):
    texts = {**TEXTS, effects.LIST: listed, **changed}
    return [found.message for found in effects.check(Tree(texts=texts))]


class EffectsTest(unittest.TestCase):
    def test_a_complete_list_is_in_order(self):
        self.assertEqual(messages(), [])

    def test_a_new_key_needs_a_test(self):
        page = TEXTS["docs/reference/spec.md"] + "| `d` | text | new |\n"
        (found,) = messages(**{"docs/reference/spec.md": page})
        self.assertIn("`d` has no test of its effect", found)

    def test_a_test_must_exist_and_name_the_key(self):
        (gone,) = messages(LIST.replace("test_b", "test_gone"))
        self.assertIn("there is no test", gone)
        (silent,) = messages(LIST.replace("Works", "Other"))
        self.assertIn("does not name `c`", silent)

    def test_what_is_unproved_is_said_and_no_more_than_that(self):
        shorter = LIST.replace('"c" = "src/m/c_test.cc::Suite.Works"\n', "")
        self.assertEqual(messages(shorter + '[unproved.keys]\n"c" = "nothing"\n'), [])
        (stale,) = messages(LIST + '[unproved.keys]\n"c" = "nothing"\n')
        self.assertIn("remove it from [unproved.keys]", stale)

    def test_flags_classes_and_variables_are_named_by_some_test(self):
        quiet = {"test/local/test_a.py": 'def test_b():\n    run({"b": 1})\n'}
        found = messages(**quiet)
        self.assertEqual(len(found), 3)
        self.assertEqual(messages(LIST + '[unproved.flags]\n"--quick" = "no"\n[unproved.classes]\n'
                                  '"user.x" = "no"\n[unproved.variables]\n"SOME_NAME" = "no"\n',
                                  **quiet), [])


if __name__ == "__main__":
    unittest.main()
