import unittest

import classes
from tree import Tree

HEADER = """
namespace muster::job {
struct Plain { int a; int b; };
class Elsewhere;
enum class State : uint8_t { Up, Down };

/// Does { things }.
template <class T>
class Thing : public Base<T> {
 public:
  using Rows = std::vector<T>;
  explicit Thing(int a, std::function<void(int)> then = {}) : a_{a}, then_{std::move(then)} {
    use("}");
  }
  Thing(const Thing&) = delete;
  bool operator==(const Thing&) const = default;
  bool operator()(int x) const;
  [[nodiscard]] int get() const { return a_; }
  std::map<int, int> parse(std::string_view text);

  struct Part {
    [[nodiscard]] bool empty() const;
    int size{0};
  };

 private:
  static constexpr int kLimit = f(3);
  friend class Other;
  int a_{0}, b_{1};
  std::function<void(int)> then_;
  std::map<std::string, std::pair<int, int>> map_ = make(1, 2);
  std::array<int, 3> three_{{1, 2, 3}};
  Part part_{.size = 1};
};
}  // namespace muster::job
"""
SOURCE = """
std::map<int, int> Thing<int>::parse(std::string_view text) {
  return {};
}
bool job::Thing<int>::Part::empty() const {
  return size == 0;
}
namespace {
class Thing2 { void run(); };
}
"""


def by_name(texts):
    return {found.name: found for found in classes.of_tree(Tree(texts=texts))}


class ClassesTest(unittest.TestCase):
    TEXTS = {"src/job/thing.h": HEADER, "src/job/thing.cc": SOURCE}

    def test_counts_what_a_class_declares(self):
        thing = by_name(self.TEXTS)["Thing"]
        self.assertEqual((thing.fields, thing.methods), (6, 4))

    def test_counts_nested_classes_apart(self):
        part = by_name(self.TEXTS)["Thing::Part"]
        self.assertEqual((part.fields, part.methods, part.lines), (1, 1, 7))

    def test_adds_the_lines_of_all_files(self):
        thing = by_name(self.TEXTS)["Thing"]
        self.assertEqual(thing.lines, HEADER[HEADER.index("template"):].count("\n") - 1 + 3)
        self.assertEqual(thing.files, {"src/job/thing.h", "src/job/thing.cc"})

    def test_plain_data_is_none(self):
        self.assertEqual(set(by_name(self.TEXTS)), {"Thing", "Thing::Part", "Thing2"})

    def test_one_name_in_two_files_are_two_classes(self):
        both = classes.of_tree(Tree(texts={
            f"src/job/{name}.cc": f"class A {{ void run(); int {name}_; }};\nvoid A::run() {{\n}}\n"
            for name in ("a", "b")}))
        self.assertEqual([found.lines for found in both], [3, 3])

    def test_the_advice_lists_ten_and_never_fails(self):
        texts = {f"src/job/c{number}.h": f"class C{number} {{ void run(); {'int a; ' * number}}};\n"
                 for number in range(20)}
        lines = classes.advice(Tree(texts=texts))
        self.assertEqual(len(lines), 1 + classes.TOP)
        self.assertIn("4 of 20", lines[0])
        self.assertIn("C19 (src/job/c19.h:1)", lines[1])
        self.assertEqual(classes.check(Tree(texts=texts)), [])
