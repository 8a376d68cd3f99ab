#pragma once

#include <string>
#include <string_view>

namespace muster::client {

/// Returns a program's line fit to show. With `colours`, for a terminal, its colours and styles
/// (CSI ... m) pass and are reset at the end; without, they are cut out. Every other escape
/// sequence (cursor movement, clearing, titles, links) is cut out in both cases, and remaining
/// control bytes and invalid UTF-8 are made visible as printable() does.
[[nodiscard]] std::string terminal_text(std::string_view line, bool colours);

/// Returns what this program says itself, fit for a terminal and a file that somebody shows on one:
/// line breaks, tabs and styles (CSI ... m) pass, everything else that a terminal obeys is made
/// visible as printable() does. For whole texts, in which names and messages of others may stand.
[[nodiscard]] std::string console_text(std::string_view text);

/// Returns as much of `text`, which holds no escape sequences, as fits into `columns`.
[[nodiscard]] std::string cut_to_columns(std::string_view text, unsigned columns);

}  // namespace muster::client
