"""What tests and tools take from each other's modules exists: MODULE.NAME, from MODULE import X.
These modules belong to no package; that a function has moved would be noticed only by a test that
calls it, when it runs.

Only modules that are imported by a plain name are checked, and only as far as their text reveals.
"""

import ast
import os
import sys

import tree as trees

PLACES = ("test/", "tools/", "bench/")
# Programs for users: nobody else can import what is beside them.
PROGRAMS = "test/docs/"
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
NAMED = (ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.ExceptHandler | ast.MatchAs
         | ast.MatchStar)
# Packages that are on every path: those of python/src.
PACKAGES = {"muster", "tensorflowonspark", "com"}


def check(tree):
    return Modules(tree).findings()


class Modules:
    """The Python files of a tree, found by the names under which they are imported."""

    def __init__(self, tree):
        self.files = {}
        for path in tree.python():
            if not path.startswith(PLACES):
                continue
            try:
                self.files[path] = ast.parse(tree.text(path))
            except SyntaxError:
                continue  # Another check reports it.
        self.by_name = {}
        for path in self.files:
            stem, suffix = os.path.splitext(os.path.basename(path))
            if suffix == ".py":
                self.by_name.setdefault(stem, []).append(path)
        self.scopes = {path: Scope(parsed.body) for path, parsed in self.files.items()}

    def findings(self):
        return [finding for path, parsed in self.files.items()
                for finding in Visitor(self, path).of(parsed)]

    def named(self, name, path):
        """Returns the files that `import NAME` in `path` may mean; none if it may be a foreign
        module."""
        found = self.by_name.get(name, ())
        beside = [one for one in found if os.path.dirname(one) == os.path.dirname(path)]
        if beside or name in sys.stdlib_module_names or name in PACKAGES:
            return beside
        return [one for one in found if not one.startswith(PROGRAMS)]

    def has(self, path, name):
        scope = self.scopes[path]
        return scope.open or name in scope.bound or name.startswith("__")

    def behind(self, paths, name):
        """Returns the files that the attribute `name` of a module means if that is itself a
        module."""
        modules = {self.scopes[path].bound.get(name) for path in paths}
        if len(modules) != 1 or None in modules:
            return []
        return self.named(modules.pop(), paths[0])


class Scope:
    """The names that a function or module binds, each with the module it refers to, or None."""

    def __init__(self, body, arguments=()):
        self.bound = dict.fromkeys(arguments)
        self.open = False  # It may have more names: `from x import *`.
        for statement in body:
            self.read(statement)

    def bind(self, name, module=None):
        self.bound[name] = module if self.bound.get(name, module) == module else None

    def read(self, node):
        if isinstance(node, ast.Import):
            for one in node.names:
                top = one.name.partition(".")[0]
                self.bind(one.asname or top, one.name if one.name == top else None)
        elif isinstance(node, ast.ImportFrom):
            for one in node.names:
                self.open |= one.name == "*"
                self.bind(one.asname or one.name)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            self.bind(node.id)
        elif isinstance(node, NAMED) and node.name:
            self.bind(node.name)
        # A function's local names are its own; those it declares global are the module's.
        if isinstance(node, FUNCTIONS | ast.ClassDef):
            for inner in ast.walk(node):
                for name in inner.names if isinstance(inner, ast.Global) else ():
                    self.bind(name)
            return
        for child in ast.iter_child_nodes(node):
            self.read(child)


class Visitor:
    """Finds what one file uses of modules that do not have it."""

    def __init__(self, modules, path):
        self.modules, self.path = modules, path
        self.scopes = [modules.scopes[path]]
        self.found = []

    def of(self, parsed):
        self.visit(parsed)
        return self.found

    def expect(self, node, name, paths):
        if paths and not any(self.modules.has(path, name) for path in paths):
            self.found.append(trees.Finding(
                self.path, node.lineno, f"there is no `{name}` in {' or '.join(sorted(paths))}"))

    def meant(self, node):
        """Returns the files of the module that an expression refers to."""
        if isinstance(node, ast.Name):
            for scope in reversed(self.scopes):
                if node.id in scope.bound:
                    module = scope.bound[node.id]
                    return self.modules.named(module, self.path) if module else []
        if isinstance(node, ast.Attribute):
            return self.modules.behind(self.meant(node.value), node.attr)
        return []

    def visit(self, node):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            self.expect(node, node.attr, self.meant(node.value))
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            paths = self.modules.named(node.module, self.path)
            for one in node.names:
                if one.name != "*":
                    self.expect(node, one.name, paths)
        if isinstance(node, FUNCTIONS):
            self.visit_function(node)
        else:
            for child in ast.iter_child_nodes(node):
                self.visit(child)

    def visit_function(self, node):
        for outside in (*getattr(node, "decorator_list", ()), *node.args.defaults,
                        *filter(None, node.args.kw_defaults)):
            self.visit(outside)
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg,
                 node.args.kwarg]
        self.scopes.append(Scope(body, [one.arg for one in every if one is not None]))
        for statement in body:
            self.visit(statement)
        self.scopes.pop()
