import unittest

import ladders
from tree import Tree

LADDER = """
void Agent::on_frame(Frame frame) {
  if (const auto* one = std::get_if<wire::Order<int>>(&frame)) {
    take(*one);
  } else if (std::get_if<Two>( &frame )) {
  }
}
void Agent::other(Frame frame) {
  use(std::get_if<One>(&frame), std::get_if<One>(&frame.fact));
}
"""


def messages(path, text, entry=""):
    texts = {path: text, **({ladders.ratchet.PATH: entry} if entry else {})}
    return [found.message for found in ladders.check(Tree(texts=texts))]


class LaddersTest(unittest.TestCase):
    def test_two_questions_on_one_variant_are_a_ladder(self):
        found = messages("src/agent/a.cc", LADDER)
        self.assertEqual(found, ["Agent::on_frame asks `frame` 2 times by get_if: use visit"])
        self.assertEqual(len(messages("sim/core/a.h", LADDER)), 1)

    def test_tests_may_pick_out(self):
        self.assertEqual(messages("src/agent/a_test.cc", LADDER), [])

    def test_an_entry_holds_one_where_it_is_and_goes_with_the_function(self):
        entry = '[ladders]\n"Agent::on_frame" = 2\n'
        self.assertEqual(messages("src/agent/a.cc", LADDER, entry), [])
        self.assertEqual(messages("src/agent/new/b.cc", LADDER, entry), [])
        third = LADDER.replace("  }\n}", "  }\n  std::get_if<Three>(&frame);\n}", 1)
        self.assertEqual(len(messages("src/agent/a.cc", third, entry)), 1)
