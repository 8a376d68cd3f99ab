"""Every key, flag, failure class and variable of the reference has a test (test/effects.toml).

For a key the list names one test, which must exist and name the key. A flag, a class or a variable
must be named in some test. Whatever has no test is listed openly under [unproved]; an entry that
could go is a finding, too.
"""

import ast
import functools
import re
import tomllib

import tree as trees

LIST = "test/effects.toml"
TEST_OF_CPP = re.compile(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", re.MULTILINE)
KEY = re.compile(r"^\| `([^`]+)` \| .*\|$", re.MULTILINE)
CLASS = re.compile(r"^\| `([a-z_]+\.[a-z_]+)` \| [^|`]+ \| \w+ \| ", re.MULTILINE)
FLAG = re.compile(r"`(--[a-z][a-z-]+)")
VARIABLE = re.compile(r"`([A-Z][A-Z0-9_]{2,})`")


def check(tree):
    if LIST not in tree.paths:
        return []
    listed = tomllib.loads(tree.text(LIST))
    unproved = listed.get("unproved", {})
    return [*check_keys(tree, listed.get("keys", {}), unproved.get("keys", {})),
            *check_named(tree, "flags", flags(tree), unproved.get("flags", {})),
            *check_named(tree, "classes", classes(tree), unproved.get("classes", {})),
            *check_named(tree, "variables", variables(tree), unproved.get("variables", {}))]


def check_keys(tree, proved, unproved):
    known = leaves(tree)
    for key in known:
        if key not in proved and key not in unproved:
            yield finding(tree, key, f"`{key}` has no test of its effect: add it to [keys]")
    for key in [*proved, *unproved]:
        if key not in known:
            yield finding(tree, key, f"`{key}` is not a key of the reference")
    for key, test in proved.items():
        if key in unproved:
            yield finding(tree, key, f"`{key}` has a test: remove it from [unproved.keys]")
        body = body_of(tree, test)
        if body is None:
            yield finding(tree, key, f"there is no test {test}")
        elif not any(re.search(rf"(?<![a-z]){re.escape(part)}(?![a-z])", body)
                     for part in parts_of(key)[-2:]):
            yield finding(tree, key, f"{test} does not name `{key}`")


def check_named(tree, what, names, unproved):
    """Reports those that no test names."""
    words = words_of_tests(tree)
    for name in names:
        if name not in words and name not in unproved:
            yield finding(tree, name, f"no test names `{name}`: write one, or list it under "
                                      f"[unproved.{what}]")
    for name in unproved:
        if name in words:
            yield finding(tree, name, f"a test names `{name}`: remove it from [unproved.{what}]")
        elif name not in names:
            yield finding(tree, name, f"`{name}` is not in the reference")


def leaves(tree):
    """The keys that have none below them."""
    keys = KEY.findall(tree.text("docs/reference/spec.md"))
    return [key for key in keys if key != "roles"
            and not any(other.startswith((key + ".", key + "[")) for other in keys)]


def classes(tree):
    return list(dict.fromkeys(CLASS.findall(tree.text("docs/reference/failures.md"))))


def flags(tree):
    return list(dict.fromkeys(FLAG.findall(tree.text("docs/reference/commands.md"))))


def variables(tree):
    return list(dict.fromkeys(VARIABLE.findall(tree.text("docs/reference/environment.md"))))


def parts_of(key):
    return [part for part in re.sub(r"<\w+>|\[\]", "", key).split(".") if part]


def body_of(tree, test):
    """Returns the text of the test `path::name`, or of a scenario; None if there is no such
    test."""
    path, _, name = test.partition("::")
    if path not in tree.paths:
        return None
    return bodies(tree, path).get(name)


@functools.cache
def bodies(tree, path):
    text = tree.text(path)
    if path.endswith(".txt"):
        return {"": text}
    if path.endswith(".cc"):
        found = list(TEST_OF_CPP.finditer(text))
        ends = [match.start() for match in found[1:]] + [len(text)]
        return {f"{match[1]}.{match[2]}": text[match.start():end]
                for match, end in zip(found, ends, strict=True)}
    lines = text.split("\n")
    return {node.name: "\n".join(lines[node.lineno - 1:node.end_lineno])
            for node in ast.parse(text).body
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


@functools.cache
def words_of_tests(tree):
    """Everything that tests mention: words, dotted names and flags."""
    words = set()
    for path in tree.paths:
        if path == LIST or not (path.startswith(("test/", "sim/")) or "_test." in path):
            continue
        if path.endswith((".py", ".cc", ".h", ".txt", ".sh")) or "/reports/" in path:
            words.update(re.findall(r"--[a-z][a-z-]+|[A-Za-z0-9_]+(?:\.[a-z0-9_]+)*",
                                    tree.text(path)))
    return words | {part for word in words for part in word.split(".")}


def finding(tree, key, message):
    lines = tree.text(LIST).split("\n")
    line = next((number for number, text in enumerate(lines, 1) if f'"{key}"' in text), 1)
    return trees.Finding(LIST, line, message)
