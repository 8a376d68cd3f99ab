import unittest

import archives
import unused
from tree import Tree

MAP = """             VMA              LMA     Size Align Out     In      Symbol
          201158           201158       30     4 .text
          201158           201158       30     4         libmuster_job.a(job_0.cc.o):(.text.a)
          201158           201158       10     1                 muster::job::Machine::apply(int)
          201168           201168        0     1                 _start
"""
SOURCE = """namespace muster::job {
Status Machine::apply(int a) {
  return helped(a);
}
Status Machine::helped(int a) { return {}; }
std::vector<int> Machine::dead(int a) const {
  return {};
}
int also_dead() { return 1; }
int inlined() { return 1; }
const int kValue = inlined();
int Other::dead(int a) { return 2; }
}
"""


def judge(signature, text=SOURCE, together=None):
    tree = Tree(texts={"src/job/a.cc": text, "src/job/b.cc": "void f() {\n  also_dead();\n}\n",
                       "src/job/a_test.cc": "TEST(A, B) {\n  also_dead();\n}\n"})
    found = unused.judge(tree, signature, "job", together or {})
    return found and (found.path, found.line, found.message)


class UnusedTest(unittest.TestCase):
    def test_reads_what_the_linker_kept(self):
        self.assertEqual(unused.kept_by(MAP), {"muster::job::Machine::apply(int)", "_start"})

    def test_functions_are_told_from_data(self):
        archive = archives.parse("lib.a[a.o]: _Z1fv T 0 1\nlib.a[a.o]: data D 0 1\n"
                                 "lib.a[a.o]: _Z1gv W 0 1\n")
        self.assertEqual(archive.functions, {"_Z1fv"})

    def test_what_is_not_written_by_hand_is_not_ours(self):
        for signature, ours in (
                ("muster::job::Machine::apply(int)", True), ("muster::net::f()", True),
                ("main", False), ("std::terminate()", False),
                ("muster::job::Machine::~Machine()", False),
                ("muster::job::Machine::Machine(int)", False),
                ("muster::job::Id::operator==(muster::job::Id const&) const", False),
                ("void muster::job::f<int>(int)", False),
                ("muster::job::(anonymous namespace)::f()", False),
                ("muster::job::f() [clone .resume]", False)):
            self.assertEqual(unused.is_ours(signature), ours, signature)

    def test_what_nobody_calls_is_found_where_it_is_defined(self):
        self.assertEqual(judge("muster::job::Machine::dead(int) const"),
                         ("src/job/a.cc", 6, "no product code calls muster::job::Machine::dead"))
        self.assertEqual(judge("muster::job::Other::dead(int)")[1], 12)
        self.assertEqual(judge("muster::job::also_dead()")[1], 9)

    def test_a_call_that_may_have_been_inlined_counts(self):
        self.assertIsNone(judge("muster::job::Machine::helped(int)"))
        self.assertIsNone(judge("muster::job::inlined()"))
        both = {"src/job/a.cc", "src/job/b.cc"}
        self.assertIsNone(judge("muster::job::also_dead()", together=dict.fromkeys(both, both)))

    def test_what_is_passed_on_or_called_in_a_header_counts(self):
        text = SOURCE + "void g() {\n  each(rows, also_dead);\n}\n"
        self.assertIsNone(judge("muster::job::also_dead()", text))
        tree = Tree(texts={"src/job/a.cc": SOURCE,
                           "src/job/a.h": "inline bool f() {\n  return !also_dead();\n}\n"})
        self.assertIsNone(unused.judge(tree, "muster::job::also_dead()", "job", {}))
        tree = Tree(texts={"src/job/a.cc": SOURCE, "src/job/a.h": "int also_dead();\n"})
        self.assertIsNotNone(unused.judge(tree, "muster::job::also_dead()", "job", {}))
        text = SOURCE + "  int also_dead() override { return job::also_dead(); }\n"
        self.assertIsNone(judge("muster::job::also_dead()", text))

    def test_links_for_the_map_without_folding(self):
        command = "clang++ -Wl,--icf=safe -Wl,-Map=/b/muster.map a.o -o muster  lib.a"
        self.assertEqual(unused.map_only(command, "/t"),
                         "clang++ -Wl,--icf=none -Wl,-Map=/t/map a.o -o /t/muster  lib.a")

    def test_what_a_macro_makes_and_what_is_allowed(self):
        self.assertIsNone(judge("muster::job::made_by_macro()"))
        text = SOURCE.replace("int also_dead() {", "// lint: allow(unused) why\nint also_dead() {")
        self.assertIsNone(judge("muster::job::also_dead()", text))
