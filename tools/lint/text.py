"""Plain text rules: columns, blanks at line ends, #pragma once, words that never reach main."""

import re

import tree as trees

COLUMNS = 100
MEASURED = (".h", ".cc", ".py", ".md", ".sh", ".cmake", ".proto", ".java")
TEXT = (*MEASURED, ".toml", ".yaml", ".yml", ".json", ".txt", ".ts", ".html", ".css", ".def",
        "Makefile")
# Written so that this file does not contain what it looks for.
WORDS = [
    (re.compile(r"\b(FIX" + r"ME|X" + r"XX)\b"), "never reaches main"),
    (re.compile(r"\bTO" + r"DO\b(?!\([^)]+\): \S)"), "say what and when: TO" + "DO(when): what"),
    (re.compile("/" + r"(work|root)/"), "a path of one machine"),
    (re.compile(r"(--(extra-)?index-url|--registry|-i)[ =]+https?://|^\s*index-url\s*=", re.M),
     "a package registry by its host: the clients know theirs"),
    (re.compile("<<<" + "<<<<|>>>" + ">>>>"), "a conflict marker"),
]
# Texts by others: captured outputs, licences, stored inputs.
FOREIGN = re.compile(r"(^LICENSE$|/corpus/|/fixtures?/|/golden/|package-lock\.json$)")


def check(tree):
    findings, shell = [], set(tree.shell())
    for path in tree.paths:
        if (path.endswith(TEXT) or path in shell) and not FOREIGN.search(path):
            findings += of_file(path, tree.text(path))
    return findings


def of_file(path, text):
    findings = []
    if not text:
        return findings
    if "\r" in text:
        findings.append(trees.Finding(path, 1, "lines end with LF"))
    if not text.endswith("\n") or text.endswith("\n\n"):
        findings.append(trees.Finding(path, text.count("\n") + 1, "ends with exactly one newline"))
    if path.endswith(".h") and "#pragma once" not in text:
        findings.append(trees.Finding(path, 1, "headers start with #pragma once"))
    lines = text.split("\n")
    fenced = False
    for number, line in enumerate(lines, 1):
        if path.endswith(".md") and line.lstrip().startswith("```"):
            fenced = not fenced
        if path.endswith(MEASURED) and len(line) > COLUMNS and not exempt(path, line, fenced):
            findings.append(trees.Finding(path, number, f"{len(line)} columns, {COLUMNS} at most"))
        if line != line.rstrip() and not path.endswith(".md"):
            findings.append(trees.Finding(path, number, "blanks at the end of the line"))
        if "\t" in line and not path.endswith("Makefile"):
            findings.append(trees.Finding(path, number, "a tab"))
        for pattern, why in WORDS:
            if pattern.search(line) and not trees.allowed(lines, number, "word"):
                findings.append(trees.Finding(
                    path, number, f"'{pattern.search(line).group()}': {why}"))
    return findings


def exempt(path, line, fenced):
    """Addresses cannot be broken; nor, in Markdown, can tables or the output of programs."""
    if re.search(r"https?://\S{40,}", line):
        return True
    return path.endswith(".md") and (fenced or line.lstrip().startswith("|"))
