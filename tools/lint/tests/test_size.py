import unittest

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

    def test_entries_hold_and_only_fall(self):
        entry = '[functions]\n"src/a.cc:long_one" = 80\n'
        for length, expected in ((80, None), (81, "may not grow"), (75, "lower its entry to 75"),
                                 (60, "remove its entry")):
            found = messages({"src/a.cc": function(length), size.RATCHET: entry})
            if expected:
                self.assertRegex(found[0], expected)
            else:
                self.assertEqual(found, [])
        self.assertRegex(messages({size.RATCHET: entry})[0], "is no more")

    def test_flags_long_files_and_longer_headers(self):
        self.assertEqual(messages({"src/a.cc": "\n" * 400, "src/a.h": "\n" * 250}), [])
        self.assertEqual(len(messages({"src/a.cc": "\n" * 401, "src/a.h": "\n" * 251})), 2)

    def test_measures_python(self):
        text = "def long_one():\n" + "    step()\n" * 71
        self.assertRegex(messages({"tools/a.py": text})[0], "long_one has 72 lines")
