"""The size ratchet: a function that grows past 70 lines is flagged at the crossing.

The check fails unless ratchet.toml lists the function with its present size. The lines of files are
not counted; the largest classes are listed as advice (classes.py).
"""

import ast
import functools
import re

import ratchet
import tree as trees

FUNCTION = 70
SCOPE = re.compile(r"^(inline\s+|export\s+|typedef\s+|static\s+|constexpr\s+|const\s+)*"
                   r"(namespace|class|struct|union|enum|extern)\b")

ACCESS = re.compile(r"\s*(?:(?:public|private|protected)\s*:\s*)*")


SECTION = "functions"


@functools.cache
def measure(tree):
    """Returns "path:function" → (its lines, the finding), for functions past the limit."""
    measured = {}
    for path in tree.paths:
        if path.endswith((".h", ".cc")):
            functions = cpp_functions(tree.code(path))
        elif path in tree.python():
            functions = python_functions(tree.text(path))
        else:
            continue
        for name, line, length in functions:
            key = f"{path}:{name}"
            if length > max(FUNCTION, measured.get(key, (0, None))[0]):
                measured[key] = (length, trees.Finding(
                    path, line, f"{name} has {length} lines, {FUNCTION} at most: look for the "
                    "second subject in it"))
    return measured


check, advice = ratchet.of(SECTION, measure)


def python_functions(text):
    try:
        module = ast.parse(text)
    except SyntaxError:
        return []  # The check `python` reports it.
    return [(node.name, node.lineno, node.end_lineno - node.lineno + 1)
            for node in ast.walk(module)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def cpp_functions(code):
    """Returns (name, first line, number of lines) of each function at namespace or class scope."""
    code = without_directives(code)
    functions, inside, head_at, name, start = [], [], 0, "", 0
    for match in re.finditer(r"[{};]", code):
        at, sign = match.start(), match.group()
        in_function = "function" in inside or "data" in inside
        if sign == "{":
            kind = "block" if in_function else kind_of(code[head_at:at])
            inside.append(kind)
            if kind == "function":
                head = code[head_at:at]
                if head.strip() and not head.lstrip().startswith(","):
                    name = name_of(head)
                    start = head_at + ACCESS.match(head).end()
        elif sign == "}" and inside:
            if inside.pop() == "function":
                line = code.count("\n", 0, start) + 1
                functions.append((name, line, code.count("\n", start, at) + 1))
        if sign != ";" or "(" not in unclosed(code[head_at:at]):
            head_at = at + 1
    return merged(functions)


def without_directives(code):
    """Blanks preprocessor directives; newlines stay."""
    return re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", lambda m: "\n" * m.group().count("\n"), code,
                  flags=re.MULTILINE | re.DOTALL)


def merged(functions):
    """Joins a constructor with the braces of its initialiser list: same name, same first line."""
    longest = {}
    for name, line, length in functions:
        longest[name, line] = max(length, longest.get((name, line), 0))
    return [(name, line, length) for (name, line), length in longest.items()]


def kind_of(head):
    head = re.sub(r"\[\[.*?\]\]", "", head, flags=re.DOTALL)
    head = without_template(head[ACCESS.match(head).end():])
    if SCOPE.match(head) and "=" not in head:
        return "scope"
    if re.search(r"=\s*[\w:<>, ]*$", head):
        return "data"
    return "function"


def without_template(head):
    """Drops a leading `template <...>`, whose parameters may say `class`."""
    head = head.strip()
    while head.startswith("template"):
        depth, end = 0, len(head)
        for at, sign in enumerate(head):
            depth += {"<": 1, ">": -1}.get(sign, 0)
            if depth == 0 and sign == ">":
                end = at + 1
                break
        head = head[end:].strip()
    return head


def unclosed(head):
    """Returns "(" when a parenthesis is open at the end of `head`, as in `for (;`."""
    return "(" if head.count("(") > head.count(")") else ""


def name_of(head):
    head = without_template(head[ACCESS.match(head).end():])
    macro = re.match(r"(TEST(?:_[FP])?|TYPED_TEST|BENCHMARK_\w+)\s*\(([^)]*)\)", head)
    if macro:
        return f"{macro.group(1)}({' '.join(macro.group(2).split())})"
    match = re.search(r"((?:[\w~]+(?:<[^()<>]*>)?::)*"
                      r"(?:operator\s*[^\s(]+|operator\(\)|~?\w+))\s*\(", head)
    return match.group(1) if match else " ".join(head.split())[:40]
