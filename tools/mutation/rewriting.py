"""Writes the copy of a source file in which every mutation is behind its switch."""

import re


def switched(sites, left_out=()):
    """Returns the text of FileSites, as bytes with the lines as they are, without the edits of the
    mutations whose numbers are in left_out (a place is left out as a whole)."""
    edits = [edit for edit in sites.edits
             if not any(mutation.number in left_out for mutation in edit.mutations)]
    order = {id(edit): index for index, edit in enumerate(edits)}
    # At the same place, closing text comes before opening text, and what was opened last closes
    # first.
    edits.sort(key=lambda edit: (edit.offset, not edit.closes,
                                 -order[id(edit)] if edit.closes else order[id(edit)]))
    parts, at = [], 0
    for edit in edits:
        parts += [sites.data[at:edit.offset], numbered(edit).encode()]
        at = max(at, edit.offset) + edit.length
    parts.append(sites.data[at:])
    return b"".join(parts)


def numbered(edit):
    return re.sub(r"@(\d)", lambda match: f"{edit.mutations[int(match[1])].number}U", edit.text)


def mutated(data, mutation):
    """The bytes of the file as the mutation leaves them, for people to read."""
    return data[:mutation.start] + mutation.text.encode() + data[mutation.end:]
