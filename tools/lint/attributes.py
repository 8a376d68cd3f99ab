"""What tests and tools take from each other's modules is there: MODULE.NAME, from MODULE import X.
These modules lie in no package; of a function that has moved only the one test that calls it would
tell, when it runs.

Only modules that are imported by a plain name are looked at, and only what their text alone tells.
"""

import ast
import os
import sys

import tree as trees

PLACES = ("test/", "tools/", "bench/")
# Programs for users: nobody else finds what lies beside them.
PROGRAMS = "test/docs/"
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
NAMED = (ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.ExceptHandler | ast.MatchAs
         | ast.MatchStar)
# What is on every path: python/src.
PACKAGES = {"muster", "tensorflowonspark", "com"}


def check(tree):
    return Modules(tree).findings()


class Modules:
    """The Python files of a tree, found by the names that imports give them."""

    def __init__(self, tree):
        self.files = {}
        for path in tree.python():
            if not path.startswith(PLACES):
                continue
            try:
                self.files[path] = ast.parse(tree.text(path))
            except SyntaxError:
                continue  # Another check says so.
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
        """Returns the files that `import NAME` in `path` may mean; none if it may be another's."""
        found = self.by_name.get(name, ())
        beside = [one for one in found if os.path.dirname(one) == os.path.dirname(path)]
        if beside or name in sys.stdlib_module_names or name in PACKAGES:
            return beside
        return [one for one in found if not one.startswith(PROGRAMS)]

    def has(self, path, name):
        scope = self.scopes[path]
        return scope.open or name in scope.bound or name.startswith("__")

    def behind(self, paths, name):
        """Returns the files that the attribute `name` of a module means if it is one itself."""
        modules = {self.scopes[path].bound.get(name) for path in paths}
        if len(modules) != 1 or None in modules:
            return []
        return self.named(modules.pop(), paths[0])


class Scope:
    """The names that a function or module binds, each with the module that it means, or None."""

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
        # A function's own names are its own; those that it gives away are the module's.
        if isinstance(node, FUNCTIONS | ast.ClassDef):
            for inner in ast.walk(node):
                for name in inner.names if isinstance(inner, ast.Global) else ():
                    self.bind(name)
            return
        for child in ast.iter_child_nodes(node):
            self.read(child)


class Visitor:
    """Finds in one file what its modules do not have."""

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
        """Returns the files of the module that an expression is."""
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
