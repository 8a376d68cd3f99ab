"""Wording that no native speaker would use in messages, help, docs and comments, with what to say
instead.

Only what a program can detect without understanding; the style guide has the rest. Texts by others,
and texts that keep the words of an old file or program for compatibility, are not checked.
"""

import functools
import re

import ratchet
import tree as trees

LOOKED_AT = re.compile(r"^(src|sim|testing|python|docs|examples|portal|bench|fuzz|tools|test)/|"
                       r"^[A-Z]\w+\.md$")
SUFFIXES = (".h", ".cc", ".py", ".md", ".ts", ".html", ".proto", ".yaml", ".toml")
# This file, its test, the list of entries; texts by others; records of the past, which are not
# rewritten.
FOREIGN = re.compile(r"^tools/lint/(words\.py|ratchet\.toml|tests/test_words\.py)$|^CHANGELOG\.md$"
                     r"|/corpus/|/fixtures?/|/golden/|^docs/adr/|^python/src/tensorflowonspark/")
# A name for each, the pattern to find, and what a native engineer would write.
WORDS = [
    ("is no x", r"(?<!there )\bis no (whole number|number|key|duration|size|boolean|list|text"
     r"|address|host|port|path|file|folder|command|option|role|name|id|JSON|YAML|XML)\b",
     "must be a, or: is not a"),
    ("is no more", r"(?<!there )\bis no more\b", "is gone"),
    ("no HTTP reply", r"\bno HTTP reply\b", "malformed HTTP response"),
    ("literal address", r"\bno literal address\b", "must be an IP address"),
    ("1 tasks", r"(?<![\d.,:])\b1 (tasks|containers|seconds|minutes|hours|days|files|hosts|roles"
     r"|masters|nodes|attempts|restarts|jobs|bytes|lines|GPUs|times|executors)\b",
     "1 task, 2 tasks"),
    ("stranger", r"\b[Ss]trangers?\b", "unauthenticated peer, or: somebody else"),
    ("reign", r"\b[Rr]eigns?\b", "term"),
    ("HttpQuestion", r"\bHttp(Question|Reply)\b", "HttpRequest, HttpResponse"),
    ("let_go_first", r"\b(mind_the_end|let_go_first)\b", "the field's own word"),
    ("from 1 on", r"\bfrom (0|1) on\b", "0 or more, 1 or more"),
    ("he", r"\bof (him|her|his) own\b|\bwho he is\b|\bwhat he is\b", "they, or the noun"),
    ("the 2.", r"\bthe (2|3)\. [a-z]", "the 2nd"),
]
COMPILED = [(name, re.compile(pattern), instead) for name, pattern, instead in WORDS]
SECTION = "words"


@functools.cache
def measure(tree):
    """Returns the name of a word → (how often it occurs in the tree, the finding)."""
    places = {}
    for path in tree.paths:
        if not LOOKED_AT.match(path) or not path.endswith(SUFFIXES) or FOREIGN.search(path):
            continue
        lines = tree.text(path).split("\n")
        for number, line in enumerate(lines, 1):
            for name, pattern, instead in COMPILED:
                for match in pattern.finditer(line):
                    if not trees.allowed(lines, number, SECTION):
                        places.setdefault(name, []).append((path, number, match[0], instead))
    return {name: (len(found), finding_of(found)) for name, found in places.items()}


check, advice = ratchet.of(SECTION, measure)


def finding_of(found):
    """Returns the finding for the places of one word: one of them is new, but it is not known
    which."""
    path, number, word, instead = found[-1]
    others = "".join(f"\n  {path}:{number}" for path, number, *_ in found[:-1])
    return trees.Finding(path, number, f"'{word}': better say: {instead}" + (
        f"; it also stands in{others}" if others else ""))
