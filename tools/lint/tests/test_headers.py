import json
import pathlib
import tempfile
import unittest

import green
import headers
from tree import Tree

TEXTS = {"src/job/a.h": '#include "base/text.h"\n', "src/job/a.cc": '#include "job/a.h"\n',
         "src/base/text.h": "1", "src/job/user.h": '#include "job/a.h"\n',
         "src/job/own.h": '#include "beside.h"\n', "src/job/beside.h": "2",
         "sim/world.h": "#include <string>\n", "test/hadoop/probe/fields.h": "3"}


def choose(changed=(), recent=None):
    before = {**TEXTS, **dict.fromkeys(changed, "other")}
    record = None if recent is not None else {
        "commit": "abc", "when": "now", "files": green.snapshot(Tree(texts=before))}
    return headers.choose(Tree(texts=TEXTS), record, recent or [])


class HeadersTest(unittest.TestCase):
    def test_nothing_changed(self):
        chosen, why = choose()
        self.assertEqual(chosen, [])
        self.assertRegex(why, "0 of 5 headers .* since the last run that passed here, abc of now")

    def test_a_changed_header(self):
        self.assertEqual(choose(["sim/world.h"])[0], ["sim/world.h"])

    def test_what_includes_a_changed_file_directly_and_by_others(self):
        self.assertEqual(choose(["src/base/text.h"])[0], ["src/base/text.h", "src/job/user.h"])
        self.assertEqual(choose(["src/job/beside.h"])[0], ["src/job/beside.h", "src/job/own.h"])

    def test_a_header_with_a_source_file_is_compiled_there(self):
        self.assertEqual(choose(["src/job/a.h"])[0], ["src/job/user.h"])

    def test_without_a_record_the_last_commits(self):
        chosen, why = choose(recent=["sim/world.h", "docs/a.md"])
        self.assertEqual(chosen, ["sim/world.h"])
        self.assertIn("since the last 10 commits", why)

    def test_objects_by_their_names_in_the_build(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "compile_commands.json").write_text(json.dumps([
                {"file": f"{folder}/header_check/job/own.h.cc", "command": "clang++ -o x/own.o"},
                {"file": f"{folder}/header_check/sim/world.h.cc", "command": "c -o x/world.o -c"},
                {"file": "/tree/src/job/a.cc", "command": "clang++ -o x/a.o"}]))
            self.assertEqual(headers.objects(folder / "none", ["sim/world.h"]), {})
            self.assertEqual(headers.objects(folder, ["sim/world.h", "src/job/own.h", "sim/new.h"]),
                             {"sim/world.h": "x/world.o", "src/job/own.h": "x/own.o"})

    def test_what_failed_is_found(self):
        wanted = {"src/job/own.h": "x/own.o", "sim/world.h": "x/world.o"}
        said = "[1/2] Building\nFAILED: x/own.o \nclang++ -o x/own.o\nerror: no type named\n"
        self.assertEqual([(found.path, found.line) for found in headers.failures(said, wanted)],
                         [("src/job/own.h", 1)])
        self.assertEqual([found.path for found in headers.failures("ninja: error", wanted)],
                         ["CMakeLists.txt"])


if __name__ == "__main__":
    unittest.main()
