"""What does not yet satisfy a check: tools/lint/ratchet.toml, section → key → how much of it.

An entry is never raised: more than it says is a finding. If there is now less, `tools/lint/run
--lower` lowers it; until then the check says so.
"""

import json
import pathlib
import tomllib

import tree as trees

PATH = "tools/lint/ratchet.toml"
HEAD = """\
# What is not yet as a check wants it, and how much of it (ratchet.py). Entries fall and go, by
# tools/lint/run --lower; they are not raised, and not added to let new code through.
"""
SECTIONS = {
    "functions": "Lines of functions longer than the limit of size.py.",
    "ladders": "Questions asked of one variant in ladders of get_if (ladders.py).",
    "seam": "Headers of one cluster or of Hadoop that commands include (seam.py).",
    "unused": "Functions that no product code calls (unused.py).",
    "words": "Words that nobody would say (words.py).",
}


class NotMeasuredError(Exception):
    """What a check measures is not there, so nothing can be judged or lowered."""

    def __init__(self, finding):
        super().__init__(finding.message)
        self.finding = finding


def of(section, measure):
    """Returns `check` and `advice` of a module that holds what `measure` finds in a tree: key →
    (how much, the Finding if that is too much). It may raise NotMeasuredError."""
    def check(tree):
        try:
            return judge(tree, section, measure(tree))
        except NotMeasuredError as missing:
            return [missing.finding]

    def advice(tree):
        try:
            return stale(tree, section, measure(tree))
        except NotMeasuredError:
            return []

    return check, advice


def entries(tree):
    return tomllib.loads(tree.text(PATH)) if PATH in tree.paths else {}


def judge(tree, section, measured):
    """Returns the findings among `measured`: key → (how much, the Finding if that is too much)."""
    known = entries(tree).get(section, {})
    return [finding if key not in known else trees.Finding(
                finding.path, finding.line,
                f"{finding.message}\n  ({amount}; {PATH} holds it at {known[key]})")
            for key, (amount, finding) in measured.items() if amount > known.get(key, 0)]


def lowered(known, measured):
    """Returns what the entries of a section may be lowered to."""
    return {key: min(amount, measured.get(key, 0)) for key, amount in known.items()
            if measured.get(key, 0) > 0}


def stale(tree, section, measured):
    """Says how many entries of the section are higher than they need to be."""
    known = entries(tree).get(section, {})
    low = lowered(known, {key: amount for key, (amount, _) in measured.items()})
    count = sum(low.get(key, 0) < amount for key, amount in known.items())
    return [f"{PATH}: {trees.counted(count, 'entry', 'entries')} of [{section}] can be lowered: "
            "tools/lint/run --lower"] if count else []


def lower(tree, measures):
    """Rewrites the file with the sections in `measures` lowered to the measured values. Raises
    NotMeasuredError and changes nothing if one cannot be measured."""
    known = entries(tree)
    for section, measure in measures.items():
        known[section] = lowered(known.get(section, {}),
                                 {key: amount for key, (amount, _) in measure(tree).items()})
    (pathlib.Path(tree.root) / PATH).write_text(text_of(known))


def text_of(known):
    text = HEAD
    for section, why in SECTIONS.items():
        rows = "".join(f"{json.dumps(key)} = {amount}\n"
                       for key, amount in sorted(known.get(section, {}).items()))
        text += f"\n# {why}\n[{section}]\n{rows}"
    return text
