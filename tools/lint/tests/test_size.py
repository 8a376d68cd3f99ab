import unittest

import ratchet
import size
from tree import Tree

CODE = '''
#define BRACES {
namespace muster {
template <class T, class U>
class Thing : public Base<T> {
 public:
  Thing(int a) : a_{a}, b_{2} {
    use("}");
  }
  bool operator==(const Thing&) const = default;
  [[nodiscard]] int get() const { return a_; }

 private:
  int a_{0};
};

constexpr int kTable[] = {
  1, 2,
};

/// } in a comment
Result<int> Thing<int, int>::parse(std::string_view text,
                                   Options options) {
  for (int i = 0; i < 3; ++i) {
    const auto f = [&](int x) { return x + '}'; };
  }
  return R"(})"sv;
}

enum class State { Up, Down };
TEST(Thing, DoesIt) {
  EXPECT_EQ(1, 1);
}
}  // namespace muster
'''


def function(lines):
    return "void long_one() {\n" + "  step();\n" * (lines - 2) + "}\n"


def messages(texts):
    return [found.message for found in size.check(Tree(texts=texts))]


class SizeTest(unittest.TestCase):
    def test_finds_functions_and_nothing_else(self):
        tree = Tree(texts={"a.h": CODE})
        found = {name: length for name, _, length in size.cpp_functions(tree.code("a.h"))}
        self.assertEqual(found["Thing"], 3)
        self.assertEqual(found["get"], 1)
        self.assertEqual(found["Thing<int, int>::parse"], 7)
        self.assertEqual(found["TEST(Thing, DoesIt)"], 3)
        self.assertNotIn("kTable[]", found)
        self.assertEqual(len([name for name in found if "State" in name]), 0)

    def test_flags_the_crossing(self):
        self.assertEqual(messages({"src/a.cc": function(70)}), [])
        self.assertRegex(messages({"src/a.cc": function(71)})[0], "71 lines, 70 at most")

    def test_an_entry_holds_a_function_where_it_is(self):
        entry = '[functions]\n"src/a.cc:long_one" = 80\n'
        for length, findings in ((80, 0), (81, 1), (75, 0)):
            found = messages({"src/a.cc": function(length), ratchet.PATH: entry})
            self.assertEqual(len(found), findings, found)

    def test_does_not_count_the_lines_of_files(self):
        self.assertEqual(messages({"src/a.cc": "\n" * 4000, "src/a.h": "\n" * 4000}), [])
