import pathlib
import shutil
import tempfile
import unittest

import style
from tree import ROOT, Tree


class StyleTest(unittest.TestCase):
    def test_flags_what_clang_format_would_change(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            shutil.copy(ROOT / ".clang-format", root)
            (root / "good.cc").write_text("int a = 1;\n")
            (root / "bad.cc").write_text("int  a=1;\n")
            (root / "order.cc").write_text('#include <vector>\n\n#include "base/text.h"\n')
            paths = {found.path for found in style.check(Tree(root))}
        self.assertEqual(paths, {"bad.cc", "order.cc"})
