#!/usr/bin/env python3
"""Wraps the paragraphs of Markdown files that have a line of more than 100 columns.

usage: wrap_markdown.py FILE...     Other paragraphs, headings, tables and code stay as they are.
"""

import pathlib
import re
import sys
import textwrap

COLUMNS = 100
ITEM = re.compile(r"\s*(?:[-*] |\d+\. |> )?")
ALONE = re.compile(r"\s*(#|\||```|    |[-*] |\d+\. |> |$)")


def wrapped(text):
    lines, out, fenced = text.split("\n"), [], False
    while lines:
        line = lines.pop(0)
        fenced ^= line.lstrip().startswith("```")
        if fenced or re.match(r"\s*(#|\||```|$)|    ", line):
            out.append(line)
            continue
        first = ITEM.match(line).group()
        paragraph = [line]
        while lines and not ALONE.match(lines[0].lstrip(" ") if len(first) > 1 else lines[0]):
            paragraph.append(lines.pop(0))
        if max(map(len, paragraph)) > COLUMNS:
            rest = "> " if first.endswith("> ") else " " * len(first)
            joined = " ".join([line[len(first):], *(more.strip() for more in paragraph[1:])])
            paragraph = textwrap.wrap(joined, COLUMNS, initial_indent=first, subsequent_indent=rest,
                                      break_long_words=False, break_on_hyphens=False)
        out += paragraph
    return "\n".join(out)


def main():
    for name in sys.argv[1:]:
        path = pathlib.Path(name)
        before = path.read_text()
        after = wrapped(before)
        if after != before:
            path.write_text(after)


if __name__ == "__main__":
    main()
