import unittest

import includes
from tree import Tree

LIBRARIES = {"fmt": {"headers": ["fmt/"]}, "asio": {"headers": ["boost/asio"]},
             "beast": {"headers": ["boost/beast"]}, "gtest": {"headers": ["gtest/"]}}
MODULES = {
    "base": {"ring": 0, "uses": [], "libraries": ["fmt"]},
    "rt": {"ring": 2, "uses": ["base"], "libraries": ["asio"]},
    "cluster": {"ring": 3, "uses": ["base"], "libraries": []},
    "cluster/local": {"ring": 4, "uses": ["base", "cluster"], "libraries": []},
    "agent": {"ring": 4, "uses": ["base", "rt"], "libraries": [], "test_uses": ["testing"]},
    "testing": {"ring": "test", "uses": ["base"], "libraries": ["gtest"]},
}


def messages(path, text):
    return [found.message for found in includes.check(Tree(texts={path: text}), MODULES, LIBRARIES)]


class IncludesTest(unittest.TestCase):
    def test_lets_through_what_the_row_allows(self):
        text = '#include "base/a.h"\n#include <boost/asio/post.hpp>\n#include <vector>\n'
        self.assertEqual(messages("src/rt/loop.cc", text), [])

    def test_rejects_a_higher_ring(self):
        self.assertRegex(messages("src/base/a.cc", '#include "rt/loop.h"\n')[0], "may not use rt")

    def test_rejects_a_sibling_of_ring_4(self):
        found = messages("src/agent/a.cc", '#include "cluster/local/host.h"\n')
        self.assertRegex(found[0], "may not use cluster/local")

    def test_rejects_a_library_that_the_row_does_not_name(self):
        self.assertRegex(messages("src/rt/a.cc", "#include <boost/beast/http.hpp>\n")[0], "beast")

    def test_only_who_sees_protobuf_includes_generated_headers(self):
        found = messages("src/rt/a.cc", '#include "muster/event/v1/fact.pb.h"\n')
        self.assertRegex(found[0], "may not see protobuf")

    def test_rejects_impure_system_headers_in_ring_0(self):
        self.assertRegex(messages("src/base/a.cc", "#include <sys/socket.h>\n")[0], "pure")
        self.assertEqual(messages("src/rt/a.cc", "#include <sys/socket.h>\n"), [])

    def test_ignores_commented_includes_and_obeys_allow(self):
        self.assertEqual(messages("src/base/a.cc", '// #include "rt/loop.h"\n'), [])
        allowed = "#include <mutex>  // lint: allow(include) guards the table\n"
        self.assertEqual(messages("src/base/a.cc", allowed), [])

    def test_test_modules_are_for_tests_that_name_them(self):
        line = '#include "testing/clock.h"\n#include <gtest/gtest.h>\n'
        self.assertEqual(messages("src/agent/a_test.cc", line), [])
        self.assertEqual(len(messages("src/agent/a.cc", line)), 2)
        self.assertEqual(len(messages("src/rt/a_test.cc", line)), 1)

    def test_rejects_paths_that_leave_src_and_folders_without_a_row(self):
        self.assertEqual(len(messages("src/rt/a.cc", '#include "../base/a.h"\n')), 1)
        self.assertEqual(len(messages("src/rt/a.cc", '#include "src/base/a.h"\n')), 1)
        self.assertRegex(messages("src/stray/a.cc", "\n")[0], "no module")

    def test_rejects_a_table_that_points_up(self):
        modules = {"low": {"ring": 0, "uses": ["high"], "libraries": []},
                   "high": {"ring": 1, "uses": [], "libraries": []}}
        self.assertEqual(len(includes.table_findings(modules)), 1)
        siblings = {"a": {"ring": 4, "uses": ["b"]}, "b": {"ring": 4, "uses": []}}
        self.assertEqual(len(includes.table_findings(siblings)), 1)
        self.assertEqual(includes.table_findings(MODULES), [])
