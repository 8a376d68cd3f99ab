"""Advice rather than findings: the largest classes, each counted over all its files.

Counted from the text, without a compiler. A class is a `class` or `struct` with functions of its
own; plain data is not counted, whatever its size. Fields are the non-static ones in its body.
Methods are its functions and constructors except those that are `= default` or `= delete`; each
overload counts. Lines are those of its body and of every member function that is defined outside
it, in the same folder. Not seen: members that come from a macro or a base class, and free functions
that work on the class from outside.
"""

import dataclasses
import re

import size

TOP = 10
# What a reader can keep in mind; the list is ordered by the worst of the three.
FIELDS, METHODS, LINES = 15, 40, 400
CLASS = re.compile(r"^(?:class|struct|union)\s+(?:\[\[.*?\]\]\s*|alignas\(\d+\)\s*)*([\w:]+)")
NO_MEMBER = re.compile(r"^(using|friend|typedef|static_assert|enum|class|struct|union|template\s*<"
                       r"[^>]*>\s*(friend|class|struct|using)|concept)\b")
GONE = re.compile(r"=\s*(default|delete)\s*$")


@dataclasses.dataclass
class Class:
    name: str
    path: str
    line: int
    fields: int = 0
    methods: int = 0
    lines: int = 0
    files: set = dataclasses.field(default_factory=set)

    def weight(self):
        return max(self.fields / FIELDS, self.methods / METHODS, self.lines / LINES)

    def __str__(self):
        return (f"{self.fields:4} fields {self.methods:4} methods {self.lines:5} lines"
                f" {len(self.files):3} files  {self.name} ({self.path}:{self.line})")


def advice(tree):
    """Returns the lines that `tools/lint/run` prints."""
    largest = sorted(of_tree(tree), key=lambda found: (-found.weight(), found.path, found.name))
    over = sum(found.weight() > 1 for found in largest)
    return [f"the largest classes, all their files together ({over} of {len(largest)} have more "
            f"than {FIELDS} fields, {METHODS} methods or {LINES} lines):",
            *map(str, largest[:TOP])]


def check(_tree):
    return []


def of_tree(tree):
    """Returns every class of src/, sim/ and testing/ that has functions of its own."""
    paths = [path for path in tree.cpp()
             if path.startswith(("src/", "sim/", "testing/")) and not path.endswith("_test.cc")]
    known = {}
    for path in paths:
        for found in in_code(path, tree.code(path)):
            known.setdefault((folder_of(path), found.name), []).append(found)
    for path in paths:
        for name, _, length in size.cpp_functions(tree.code(path)):
            owner = owner_of(name, path, known)
            if owner:
                owner.lines += length
                owner.files.add(path)
    return [found for classes in known.values() for found in classes if found.methods > 0]


def folder_of(path):
    return path.rpartition("/")[0]


def owner_of(function, path, known):
    """Returns the class that `Outer::Inner::function` of `path` belongs to, or None."""
    scope = re.sub(r"<[^<>]*>", "", function).split("::")[:-1]
    while scope:
        # If two have the same name, the file's own: the other is in an unnamed namespace.
        found = known.get((folder_of(path), "::".join(scope)), [])
        if found:
            return max(found, key=lambda owner: (owner.path == path, owner.path.endswith(".h")))
        scope = scope[1:]  # Preceded by a namespace.
    return None


def in_code(path, code):
    """Returns the classes whose bodies are in `code`, with what these bodies declare."""
    code = size.without_directives(code)
    classes, inside, head_at = [], [], 0
    for match in re.finditer(r"[{};]", code):
        at, sign = match.start(), match.group()
        head = code[head_at:at]
        owner = inside[-1] if inside else None
        if sign == "{":
            found = None
            if not isinstance(owner, str):
                found = opened(path, code, head_at, head, inside)
                if isinstance(owner, Class) and found == "body":
                    declare(owner, head)
            if isinstance(found, Class):
                classes.append(found)
            inside.append(found or "body")
            # A field's braces belong to its declaration, which ends at the semicolon.
            if found != "data":
                head_at = at + 1
        elif sign == "}" and inside:
            closed = inside.pop()
            if isinstance(closed, Class):
                closed.lines += code.count("\n", 0, at) + 1 - closed.line + 1
            if closed != "data":
                head_at = at + 1
        elif sign == ";" and size.unclosed(head) == "":
            if isinstance(owner, Class):
                declare(owner, head)
            if owner != "data":
                head_at = at + 1
    return classes


def opened(path, code, head_at, head, inside):
    """Returns what a brace after `head` opens: a Class, a Scope, "data" or "body"."""
    if size.unclosed(head):
        return "data"  # A default argument.
    start = head_at + size.ACCESS.match(head).end()
    plain = size.without_template(head[size.ACCESS.match(head).end():])
    named = CLASS.match(plain)
    if named and "(" not in plain:
        outer = [scope.name for scope in inside if isinstance(scope, Class)][-1:]
        start += len(code[start:]) - len(code[start:].lstrip())
        return Class("::".join([*outer, named[1]]), path, code.count("\n", 0, start) + 1,
                     files={path})
    if size.SCOPE.match(plain) and "=" not in plain:
        return Scope() if re.match(r"(inline\s+)?(namespace|extern)\b", plain) else "body"
    return "body" if "(" in without_angles(plain) and "=" not in without_calls(plain) or (
        plain == "" or plain.startswith(",")) else "data"


class Scope:
    """A namespace; what is in it is declared there."""


def declare(owner, head):
    """Counts one declaration of a class's body: a method, a field, or neither."""
    text = " ".join(size.without_template(head[size.ACCESS.match(head).end():]).split())
    text = re.sub(r"^(\[\[.*?\]\]\s*)+", "", text)
    if not text or text.startswith(",") or NO_MEMBER.match(text) or GONE.search(text):
        return
    plain = without_angles(text)
    if "(" in without_initialiser(plain):
        owner.methods += 1
    elif not plain.startswith(("static ", "constexpr static ", "inline static ")):
        owner.fields += 1 + without_calls(re.sub(r"\{.*?\}", "", plain)).count(",")


def without_initialiser(text):
    """Drops what follows a field's `=` or opening brace."""
    if re.search(r"\boperator\b", text):
        return text
    return re.split(r"(?<![=!<>])=(?!=)|\{", text, maxsplit=1)[0]


def without_angles(text):
    """Drops template arguments, which may hold parentheses and commas of their own."""
    kept, depth = [], 0
    text = re.sub(r"\boperator\s*(<=>|<<|>>|<=|>=|<|>|->)", "operator", text)
    for sign in text.replace("->", "  "):
        depth = max(0, depth + {"<": 1, ">": -1}.get(sign, 0))
        if depth == 0 and sign != ">":
            kept.append(sign)
    return "".join(kept)


def without_calls(text):
    """Drops everything in parentheses."""
    kept, depth = [], 0
    for sign in re.sub(r"\boperator\s*(\(\)|[^\s\w(]+)", "operator", without_angles(text)):
        depth = max(0, depth + {"(": 1, ")": -1}.get(sign, 0))
        if depth == 0 and sign != ")":
            kept.append(sign)
    return "".join(kept)
