"""Finds the places of a source file that can be mutated, in the compiler's own syntax tree.

A mutation is one small change in one place. Those of one file are numbered together; the text of
the file with all of them in it, each behind its switch (switch.h), is made by rewriting.py.
"""

import dataclasses
import re

from clang import cindex

K = cindex.CursorKind

RELATIONS = {"<": ("less", "<=", ">="), "<=": ("less_equal", "<", ">"),
             ">": ("greater", ">=", "<="), ">=": ("greater_equal", ">", "<")}
EQUALITIES = {"==": ("equal", "!="), "!=": ("not_equal", "==")}
ARITHMETIC = {"+": ("plus", "-"), "-": ("minus", "+"), "*": ("times", "/"),
              "/": ("divided", "*"), "%": ("modulo", "/")}
COMPOUND = {"+=": ("add", "-="), "-=": ("subtract", "+=")}
STEPS = {"++": ("increment", "--"), "--": ("decrement", "++")}
OPERATORS = {**RELATIONS, **EQUALITIES, **ARITHMETIC, **COMPOUND, "&&": None, "||": None}
OPERATOR = re.compile(rb"\s*(&&|\|\||<=|>=|==|!=|\+=|-=|[-+*/%<>])\s*")

# The effect of a mutation there cannot be seen in what the program does.
LOGGING = re.compile(rb"(\w+(\(\))?(\.|->))*\w*log_?(\.|->)(debug|info|warning|error)\(")
HINTS = re.compile(rb"[\w.>()-]*(\.|->)(reserve|shrink_to_fit)\(")
MACRO = re.compile(rb"\bMUSTER_[A-Z_]+\(")
INTEGER = re.compile(rb"(0|[1-9][0-9']*)([uU]?[lL]{0,2}|[uU]?[zZ])")
INTEGERS = {"bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int",
            "unsigned int", "long", "unsigned long", "long long", "unsigned long long"}
NUMBERS = INTEGERS | {"float", "double"}
CHRONO = re.compile(r"std::chrono::(duration|time_point)<|^Duration$|^Time$")
FUNCTIONS = (K.FUNCTION_DECL, K.CXX_METHOD, K.CONSTRUCTOR, K.DESTRUCTOR, K.CONVERSION_FUNCTION,
             K.FUNCTION_TEMPLATE)
LOOPS = (K.WHILE_STMT, K.FOR_STMT, K.DO_STMT)


@dataclasses.dataclass
class Mutation:
    """Replaces the bytes from start to end, which are on the line, with text."""

    kind: str
    line: int
    start: int
    end: int
    text: str
    function: str = ""
    number: int = 0  # Assigned once all files have been scanned.


@dataclasses.dataclass
class Edit:
    """Inserts text before offset (after text that ends there), with the numbers of the mutations in
    it."""

    offset: int
    closes: bool
    text: str
    mutations: tuple = ()
    length: int = 0  # The number of bytes that it replaces.


class FileSites:
    """What can be mutated in one file: `mutations`, and the `edits` that build all of them in."""

    def __init__(self, data):
        self.data = data
        self.mutations = []
        self.edits = []
        self.excluded = macro_spans(data)
        self.operators = set()  # Where the operators are that are mutated.

    def add(self, kind, line, start, end, text, function):
        mutation = Mutation(kind, line, start, end, text, function)
        self.mutations.append(mutation)
        return mutation

    def wrap(self, start, end, prefix, suffix, *mutations):
        self.edits.append(Edit(start, False, prefix, mutations))
        self.edits.append(Edit(end, True, suffix, mutations))

    def allowed(self, start, end):
        return start < end and not any(a < end and start < b for a, b in self.excluded)


def macro_spans(data):
    """Where our macros are called: their arguments are elsewhere in the syntax tree."""
    spans = []
    for match in MACRO.finditer(data):
        depth, at = 1, match.end()
        while depth and at < len(data):
            depth += {40: 1, 41: -1}.get(data[at], 0)
            at += 1
        spans.append((match.start(), at))
    return spans


class Finder:
    """Walks the syntax tree of one or more files that were parsed together."""

    def __init__(self, files):
        """`files`: {path as the parser names it: FileSites}."""
        self.files = files
        self.sites = None
        self.function = ""

    def walk_unit(self, unit):
        for cursor in unit.cursor.get_children():
            place = cursor.location.file
            self.sites = self.files.get(place.name) if place else None
            if self.sites is not None:
                self.visit(cursor, [])

    # ---- helpers

    def span(self, cursor):
        return cursor.extent.start.offset, cursor.extent.end.offset

    def text(self, cursor):
        start, end = self.span(cursor)
        return self.sites.data[start:end]

    def add(self, kind, cursor_line, start, end, text):
        return self.sites.add(kind, cursor_line, start, end, text, self.function)

    def statement_end(self, end):
        """The end of the statement whose expression ends there, with its semicolon."""
        match = re.compile(rb"\s*;").match(self.sites.data, end)
        return match.end() if match else None

    def operands(self, cursor):
        """Returns (left, operator, its span, right) of a binary operator, built in or not."""
        start, end = self.span(cursor)
        children = list(cursor.get_children())
        while len(children) == 1:
            children = list(children[0].get_children())
        if len(children) > 1 and children[0].spelling == "operator<=>":
            # a < b, expressed as (a <=> b) < 0.
            children = list(children[0].get_children())
        if len(children) < 2:
            return None
        left, right = children[0], children[-1]
        if left.extent.start.offset != start or right.extent.end.offset != end:
            return None
        between = self.sites.data[left.extent.end.offset:right.extent.start.offset]
        match = OPERATOR.fullmatch(between)
        if match is None:
            return None
        at = left.extent.end.offset + match.start(1)
        return left, match[1].decode(), (at, at + len(match[1])), right

    # ---- walking

    def visit(self, cursor, above):
        kind = cursor.kind
        if kind in FUNCTIONS:
            if re.search(rb"=\s*(default|delete)$", self.text(cursor)):
                return
            outer, self.function = self.function, cursor.spelling
            self.descend(cursor, above)
            self.function = outer
            return
        if kind in (K.STATIC_ASSERT, K.ENUM_DECL, K.PARM_DECL):
            return
        if kind in (K.VAR_DECL, K.FIELD_DECL):
            self.visit_variable(cursor, above)
            return
        if kind.is_expression() or kind.is_statement():
            start, end = self.span(cursor)
            if not self.sites.allowed(start, end) and not kind.is_statement():
                return
            if LOGGING.match(self.sites.data, start, end) and kind.is_expression():
                return
        if kind == K.CASE_STMT or (kind == K.IF_STMT and self.decided_by_compiler(cursor)):
            for child in list(cursor.get_children())[1:]:
                self.visit(child, [*above, cursor])
            return
        self.look(cursor, above)
        self.descend(cursor, above)

    def descend(self, cursor, above):
        inside = [*above, cursor]
        for child in cursor.get_children():
            self.visit(child, inside)

    def visit_variable(self, cursor, above):
        """Values known at compile time are not mutated: nothing would happen at run time."""
        start, _ = self.span(cursor)
        name = cursor.location.offset
        before = self.sites.data[start:name]
        fixed = re.search(rb"\b(constexpr|constinit|static)\b", before) or not self.function
        for child in cursor.get_children():
            initial = child.extent.start.offset >= name and not fixed
            if initial or child.kind == K.LAMBDA_EXPR:
                self.visit(child, [*above, cursor])

    def look(self, cursor, above):
        kind = cursor.kind
        parent = above[-1] if above else None
        if kind.is_expression() and parent is not None and parent.kind == K.COMPOUND_STMT:
            self.removed(cursor, above, "statement")
        if kind == K.IF_STMT:
            self.look_at_if(cursor)
        elif kind in LOOPS:
            self.look_at_loop(cursor)
        elif kind == K.CONDITIONAL_OPERATOR:
            self.conditions(next(cursor.get_children()), loop=False)
        elif kind == K.RETURN_STMT:
            self.look_at_return(cursor, above)
        elif kind in (K.BREAK_STMT, K.CONTINUE_STMT):
            self.removed(cursor, above, str(kind.name).split("_")[0].lower())
        if kind.is_expression():
            self.look_at_expression(cursor, above, parent)

    def look_at_expression(self, cursor, above, parent):
        if parent is not None and parent.kind.is_expression() and (
                self.span(parent) == self.span(cursor) and parent.kind not in (K.LAMBDA_EXPR,)):
            return  # The same expression, seen inside a conversion of it.
        core = innermost(cursor)
        if core.kind == K.INTEGER_LITERAL:
            self.integer(cursor, above)
        elif core.kind == K.CXX_BOOL_LITERAL_EXPR:
            self.boolean(cursor, above)
        elif core.kind == K.UNARY_OPERATOR:
            self.unary(cursor, core, above)
        found = self.operands(cursor)
        if found is not None:
            self.binary(cursor, *found, above)

    # ---- statements

    def removed(self, cursor, above, what):
        """The statement is not executed."""
        start, end = self.span(cursor)
        last = self.statement_end(end)
        if last is None or not self.sites.allowed(start, last):
            return
        if HINTS.match(self.sites.data, start, end):
            return
        parent = above[-1]
        if parent.kind != K.COMPOUND_STMT:
            return
        if what in ("return", "break", "continue"):
            # If it is all that its condition guards, the condition is mutated instead.
            if len(list(parent.get_children())) < 2:
                return
            if what == "return" and len(above) > 1 and above[-2].kind in (
                    *FUNCTIONS, K.LAMBDA_EXPR):
                return  # A function that ended without a value would be undefined.
        elif re.fullmatch(rb"static_cast<void>\(\w+\)", self.sites.data[start:end]):
            return
        mutation = self.add(f"{what} removed", cursor.extent.start.line, start, last, "")
        self.sites.edits.append(
            Edit(start, False, "if (!::muster_mutants::on(@0)) ", (mutation,)))

    def decided_by_compiler(self, cursor):
        start, _ = self.span(cursor)
        condition = next(cursor.get_children()).extent.start.offset
        return re.match(rb"if\s+(constexpr|!?\s*consteval)", self.sites.data[start:condition])

    def look_at_if(self, cursor):
        children = list(cursor.get_children())
        condition = children[0]
        if condition.kind == K.DECL_STMT:
            condition = children[1]  # if (init; condition)
            if condition.kind == K.VAR_DECL:
                return
        if condition.kind == K.VAR_DECL:
            self.declared_condition(condition)
        elif condition.kind.is_expression():
            self.conditions(condition, loop=False)

    def declared_condition(self, variable):
        """if (T x = f()): the condition never holds, although x is made."""
        start, end = self.span(variable)
        if not self.sites.allowed(start, end) or self.sites.data[end:end + 1] != b")":
            return
        original = self.sites.data[start:end].decode()
        name = variable.spelling
        mutation = self.add("condition false", variable.extent.start.line, start, end,
                            f"{original}; false")
        self.sites.edits.append(
            Edit(end, True, f"; ::muster_mutants::never(@0, static_cast<bool>({name}))",
                 (mutation,)))

    def look_at_loop(self, cursor):
        children = list(cursor.get_children())
        if cursor.kind == K.WHILE_STMT:
            condition = children[0]
        elif cursor.kind == K.DO_STMT:
            condition = children[-1]
        else:
            start, _ = self.span(cursor)
            body = children[-1].extent.start.offset
            semicolons = [start + match.start()
                          for match in re.finditer(rb";", self.sites.data[start:body])]
            inside = [child for child in children[:-1] if len(semicolons) == 2 and
                      semicolons[0] < child.extent.start.offset < semicolons[1]]
            if len(inside) != 1:
                return
            condition = inside[0]
        if condition.kind.is_expression():
            self.conditions(condition, loop=True)

    def look_at_return(self, cursor, above):
        self.removed(cursor, above, "return")
        value = next(iter(cursor.get_children()), None)
        if value is None or value.type.get_canonical().spelling != "bool":
            return
        if innermost(value).kind == K.CXX_BOOL_LITERAL_EXPR:
            return
        self.conditions(value, loop=False, negate=False)

    # ---- expressions

    def conditions(self, cursor, loop, negate=True):
        """A condition becomes always true, always false, or negated. Loops are not made endless:
        any test would notice that, at the price of a time limit."""
        start, end = self.span(cursor)
        if not self.sites.allowed(start, end):
            return
        core = innermost(cursor)
        if core.kind == K.CXX_BOOL_LITERAL_EXPR:
            return
        line = cursor.extent.start.line
        prefix, suffix, mutations = "static_cast<bool>(", ")", []
        if not loop:
            mutations.append(self.add("condition true", line, start, end, "true"))
            prefix, suffix = "::muster_mutants::always(@0, " + prefix, suffix + ")"
        number = len(mutations)
        mutations.append(self.add("condition false", line, start, end, "false"))
        prefix, suffix = f"::muster_mutants::never(@{number}, " + prefix, suffix + ")"
        found = self.operands(cursor)
        compared = found is not None and found[1] in {**RELATIONS, **EQUALITIES}
        if negate and not loop and not compared and not is_not(core, self.text(core)):
            number = len(mutations)
            mutations.append(self.add("condition negated", line, start, end,
                                      f"!({self.sites.data[start:end].decode()})"))
            prefix, suffix = f"::muster_mutants::negated(@{number}, " + prefix, suffix + ")"
        self.sites.wrap(start, end, prefix, suffix, *mutations)

    def binary(self, cursor, left, operator, place, right, above):
        start, end = self.span(cursor)
        # The compiler shows an a != b that is !(a == b) twice.
        if not self.sites.allowed(start, end) or place in self.sites.operators:
            return
        self.sites.operators.add(place)
        if operator in ("&&", "||"):
            self.logical(cursor, left, operator, place, right)
            return
        types = [each.type.get_canonical().spelling for each in (left, right)]
        if any("_ordering" in each or "__unspec" in each for each in types):
            return
        line = self.line_of(place[0])
        if operator in RELATIONS:
            name, near, opposite = RELATIONS[operator]
            mutations = [self.add("relation", line, *place, near),
                         self.add("relation", line, *place, opposite)]
            self.call(start, end, f"{name}(@0, @1, ", place, *mutations)
        elif operator in EQUALITIES:
            name, other = EQUALITIES[operator]
            self.call(start, end, f"{name}(@0, ", place, self.add("relation", line, *place, other))
        elif operator in COMPOUND:
            if calculable(types):
                name, other = COMPOUND[operator]
                self.call(start, end, f"{name}(@0, ", place,
                          self.add("arithmetic", line, *place, other))
        elif operator in ARITHMETIC and calculable(types):
            if all("time_point" in each for each in types):
                return
            name, other = ARITHMETIC[operator]
            if "time_point" in types[0] + types[1] or "duration" in types[0] + types[1]:
                if operator not in "+-" and "duration" in types[0] and "duration" in types[1]:
                    return
                if "duration" not in types[0] and "time_point" not in types[0]:
                    return  # 3 * duration has no 3 / duration.
                if operator == "+" and "time_point" in types[1]:
                    return
            self.call(start, end, f"{name}(@0, ", place,
                      self.add("arithmetic", line, *place, other))

    def call(self, start, end, head, place, *mutations):
        self.sites.wrap(start, end, "::muster_mutants::" + head, ")", *mutations)
        self.sites.edits.append(
            Edit(place[0], False, ",", mutations, length=place[1] - place[0]))

    def logical(self, cursor, left, operator, place, right):
        """The other operator, and the expression without each of its operands."""
        start, end = self.span(cursor)
        other = "||" if operator == "&&" else "&&"
        whole = self.add("logical", self.line_of(place[0]), *place, other)
        # a || b is !(!a && !b), so one text serves both.
        unless = " != ::muster_mutants::on(@0))"
        self.sites.wrap(start, end, "(((static_cast<bool>(", f"){unless}){unless}", whole)
        self.sites.edits.append(Edit(place[0], False, f"){unless} {operator} (static_cast<bool>(",
                                     (whole,), length=place[1] - place[0]))
        for operand in (left, right):
            found = self.operands(operand)
            if found is not None and found[1] in ("&&", "||"):
                continue
            first, last = self.span(operand)
            if not self.sites.allowed(first, last):
                continue
            word, name = ("true", "always") if operator == "&&" else ("false", "never")
            dropped = self.add(f"operand {word}", operand.extent.start.line, first, last, word)
            self.sites.wrap(first, last, f"::muster_mutants::{name}(@0, static_cast<bool>(", "))",
                            dropped)

    def unary(self, cursor, core, above):
        text = self.text(core)
        start, end = self.span(core)
        operand = next(iter(core.get_children()))
        inner = self.span(operand)
        if is_not(core, text) and inner[1] == end:
            mutation = self.add("negation removed", cursor.extent.start.line, start, inner[0], "")
            self.sites.wrap(start, end, "::muster_mutants::negated(@0, ", ")", mutation)
            return
        if text[:2] in (b"++", b"--") and calculable([operand.type.get_canonical().spelling]):
            if any(each.kind == K.FOR_STMT for each in above[-1:]):
                return  # An index that runs away.
            name, other = STEPS[text[:2].decode()]
            mutation = self.add("arithmetic", cursor.extent.start.line, start, start + 2, other)
            self.sites.edits.append(Edit(start, False, f"::muster_mutants::{name}(@0, ",
                                         (mutation,), length=2))
            self.sites.edits.append(Edit(end, True, ")", (mutation,)))

    def boolean(self, cursor, above):
        start, end = self.span(cursor)
        text = self.sites.data[start:end]
        if text not in (b"true", b"false") or fixed_context(above):
            return
        parent = above[-1] if above else None
        if parent is not None and parent.kind in LOOPS:
            return
        other = "false" if text == b"true" else "true"
        mutation = self.add("constant", cursor.extent.start.line, start, end, other)
        self.sites.wrap(start, end, "::muster_mutants::constant(@0, ", f", {other})", mutation)

    def integer(self, cursor, above):
        start, end = self.span(cursor)
        text = self.sites.data[start:end]
        match = INTEGER.fullmatch(text)
        kind = cursor.type.get_canonical().spelling.replace("const ", "")
        if match is None or kind not in INTEGERS or kind == "bool" or fixed_context(above):
            return
        if self.sites.data[end:end + 1] == b">" or self.sites.data[start - 1:start] == b"<":
            return  # An argument of a template.
        if any("chrono" in (each.type.spelling or "") or CHRONO.search(
                each.type.get_canonical().spelling or "") for each in above[-4:]
               if each.kind == K.CALL_EXPR):
            return  # A timeout of a second more or less.
        value, suffix = int(match[1].replace(b"'", b"")), match[2].decode()
        others = [value + 1] + ([value - 1] if value > 0 else [])
        head, tail, mutations = "", "", []
        for index, other in enumerate(others):
            mutations.append(self.add("constant", cursor.extent.start.line, start, end,
                                      f"{other}{suffix}"))
            head = f"::muster_mutants::constant(@{index}, " + head
            tail += f", {other}{suffix})"
        self.sites.wrap(start, end, f"static_cast<{kind}>({head}", tail + ")", *mutations)

    def line_of(self, offset):
        return self.sites.data.count(b"\n", 0, offset) + 1


def innermost(cursor):
    """The expression under the conversions that the compiler put around it."""
    while cursor.kind == K.UNEXPOSED_EXPR:
        children = list(cursor.get_children())
        if len(children) != 1 or children[0].extent != cursor.extent:
            break
        cursor = children[0]
    return cursor


def is_not(core, text):
    return core.kind == K.UNARY_OPERATOR and re.match(rb"!(?!=)", text)


def calculable(types):
    return all(each.replace("const ", "").rstrip("& ") in NUMBERS or CHRONO.search(each)
               for each in types)


def fixed_context(above):
    """Whether an expression below is known at compile time, or names something."""
    parent = next((each for each in reversed(above) if each.kind != K.UNEXPOSED_EXPR), None)
    if parent is None:
        return True
    if parent.kind in (K.DECL_REF_EXPR, K.MEMBER_REF_EXPR, K.TYPE_REF, K.TEMPLATE_REF):
        return True
    return parent.kind == K.VAR_DECL and parent.type.is_const_qualified()
