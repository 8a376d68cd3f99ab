"""The switch has the effect that changing the text would have."""

import importlib.util
import os
import pathlib
import subprocess
import tempfile
import unittest

import rewriting

FLAGS = ["-std=c++23", "-w"]
SWITCH = pathlib.Path(rewriting.__file__).with_name("switch.h")

PROGRAM = """\
int calls = 0;
int log_lines = 0;
struct Logger { void info(const char*) { ++log_lines; } } log_;
void note(int more) { calls += more; }
bool odd(int n) { return n % 2 == 1; }
struct Version {
  int value;
  auto operator<=>(const Version&) const = default;
};
constexpr int kTwice = 1 + 1;
int sum(int n) {
  int all = 0;
  for (int i = 0; i < n; ++i) {
    if (i == 4) {
      note(1);
      continue;
    }
    all += i;
  }
  return all;
}
int f(int a, int b) {
  log_.info("not looked at");
  if (a < b && (odd(a) || b != 7)) {
    note(2);
    if (!odd(b)) {
      note(4);
      return a + 1;
    }
  }
  if (const int* p = a > 2 ? &calls : nullptr) {
    b = *p;
  }
  static_cast<void>(b);
  return Version{a} < Version{b} ? a * kTwice : a - b;
}
int main() {
  int all = 0;
  for (int a = 0; a < 6; ++a) {
    for (int b = 1; b < 9; ++b) {
      all = all * 3 + f(a, b) + sum(b);
    }
  }
  return (all + calls * 7) & 127;
}
"""


def missing():
    return importlib.util.find_spec("clang") is None


@unittest.skipIf(missing(), "needs python3-clang-19: tools/setup mutants")
class SitesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def find(self, text):
        import sites
        from clang import cindex
        if not cindex.Config.loaded:
            cindex.Config.set_library_file("libclang-19.so.1")
        path = str(self.folder / "program.cc")
        (self.folder / "program.cc").write_text(text)
        arguments = [*FLAGS, "-nostdinc"]
        if "#include" in text:
            resources = subprocess.run(["clang++-19", "-print-resource-dir"], text=True,
                                       capture_output=True, check=True).stdout.strip()
            arguments = [*FLAGS, "-resource-dir", resources]
        found = sites.FileSites(text.encode())
        sites.Finder({path: found}).walk_unit(cindex.Index.create().parse(path, args=arguments))
        for number, mutation in enumerate(found.mutations, 1):
            mutation.number = number
        return found

    def compile(self, name, text, *flags):
        source = self.folder / f"{name}.cc"
        source.write_bytes(text)
        subprocess.run(["clang++-19", *FLAGS, *flags, source, "-o", self.folder / name],
                       check=True)
        return self.folder / name

    @staticmethod
    def status(program, number=0, **settings):
        environment = {**os.environ, "MUTANT": str(number), **settings}
        return subprocess.run([program], env=environment, check=False, timeout=20).returncode

    def changes(self, text):
        return [(each.kind, rewriting.mutated(text.encode(), each).decode())
                for each in self.find(text).mutations]

    def test_a_switched_mutation_does_what_the_changed_text_does(self):
        header = "#include <compare>\n"
        found = self.find(header + PROGRAM)
        switched = self.compile("switched", rewriting.switched(found), "-include", str(SWITCH))
        self.assertEqual(self.status(switched), self.status(self.compile("plain", found.data)))
        changed = self.compile("changed", self.all_changed(found))
        differing = 0
        for mutation in found.mutations:
            expected = self.status(changed, mutation.number)
            differing += expected != self.status(switched)
            self.assertEqual(self.status(switched, mutation.number), expected, mutation)
        self.assertGreater(differing, 40)

    @staticmethod
    def all_changed(found):
        """A program with every text that a mutation produces; $MUTANT chooses one."""
        text = "#include <compare>\n#include <cstdlib>\n"
        for mutation in found.mutations:
            program = rewriting.mutated(found.data, mutation).decode().partition("\n")[2]
            program = program.replace("int main()", "int start()")
            text += f"namespace mutant_{mutation.number} {{\n{program}}}\n"
        text += "int main() {\n  switch (std::atoi(std::getenv(\"MUTANT\"))) {\n"
        for mutation in found.mutations:
            text += f"    case {mutation.number}: return mutant_{mutation.number}::start();\n"
        return (text + "  }\n}\n").encode()

    def test_lines_stay_where_they_are(self):
        found = self.find("#include <compare>\n" + PROGRAM)
        self.assertEqual(rewriting.switched(found).count(b"\n"), found.data.count(b"\n"))

    def test_what_is_left_out_is_as_it_was(self):
        found = self.find("#include <compare>\n" + PROGRAM)
        numbers = {each.number for each in found.mutations}
        self.assertEqual(rewriting.switched(found, numbers), found.data)

    def test_a_trace_tells_what_was_reached_and_what_would_differ(self):
        text = "int main(int n, char**) { if (n > 4) { return 3; } return n < 2 ? 0 : 1; }\n"
        found = self.find(text)
        program = self.compile("traced", rewriting.switched(found), "-include", str(SWITCH))
        trace = self.folder / "trace"
        trace.write_bytes(bytes(len(found.mutations) + 1))
        self.assertEqual(self.status(program, MUTANT_TRACE=str(trace)), 0)
        marks = trace.read_bytes()
        told = {(each.kind, each.text): marks[each.number] for each in found.mutations}
        self.assertEqual(told[("condition true", "true")], 1)  # The last one named so, for n < 2.
        self.assertEqual(told[("condition false", "false")], 3)
        self.assertEqual(told[("relation", ">=")], 3)
        self.assertEqual(told[("relation", "<=")], 1)
        self.assertEqual(told[("constant", "4")], 0)

    def test_logging_and_hints_are_no_places(self):
        text = ("struct Log { void info(int); } log_;\n"
                "struct V { void reserve(int); void add(); };\n"
                "void f(V& v, int n) { log_.info(n + 1); v.reserve(n * 2); v.add(); }\n")
        self.assertEqual([kind for kind, _ in self.changes(text)],
                         ["arithmetic", "constant", "constant", "statement removed"])

    def test_what_is_known_when_it_is_compiled_is_no_place(self):
        text = ("constexpr int kA = 3 + 4; enum E { One = 1 }; static_assert(1 < 2);\n"
                "template <int N> int g() { return N; }\n"
                "int f(int n) { constexpr int b = 5; switch (n) { case 7: return g<6>() ; }\n"
                "  if constexpr (b > 4) { return n; } return n; }\n")
        self.assertEqual(self.changes(text), [])


if __name__ == "__main__":
    unittest.main()
