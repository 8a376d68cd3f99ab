import unittest

import seam
from tree import Tree

INCLUDES = """#include "cluster/cluster.h"
#include "cluster/yarn/session.h"
#include "hadoop/login.h"
// #include "cluster/local/claims.h"
"""


def messages(path, text, entry=""):
    texts = {path: text, **({seam.ratchet.PATH: entry} if entry else {})}
    return [found.message for found in seam.check(Tree(texts=texts))]


class SeamTest(unittest.TestCase):
    def test_no_command_knows_a_cluster(self):
        self.assertIn("hadoop/login.h", messages("src/app/a.cc", INCLUDES)[0])
        self.assertEqual(messages("src/client/a.cc", INCLUDES), [])
        self.assertEqual(messages("src/app/a_test.cc", INCLUDES), [])
        self.assertEqual(messages("src/app/a.cc", '#include "cluster/cluster.h"\n'), [])

    def test_the_factory_says_so(self):
        line = '#include "cluster/yarn/session.h"'
        self.assertEqual(messages("src/app/a.cc", f"{line}  // lint: allow(seam) makes it\n"), [])
        self.assertEqual(len(messages("src/app/a.cc", f"{line}  // lint: allow(seam)\n")), 1)

    def test_entries_hold_what_is_not_yet_mended(self):
        self.assertEqual(messages("src/app/a.cc", INCLUDES, '[seam]\n"a.cc" = 2\n'), [])
        self.assertEqual(len(messages("src/app/a.cc", INCLUDES, '[seam]\n"a.cc" = 1\n')), 1)
