#pragma once

#include <string>
#include <string_view>

namespace muster::client {

/// Returns a program's line in a form fit to show. With `colours`, for a terminal, its colours and
/// styles (CSI ... m) are kept and reset at the end; without, they are removed. Every other escape
/// sequence (cursor movement, clearing, titles, links) is removed in both cases, and remaining
/// control bytes and invalid UTF-8 are made visible as by printable().
[[nodiscard]] std::string terminal_text(std::string_view line, bool colours);

/// Returns this program's own text in a form fit for a terminal, or for a file that may be shown on
/// one: line breaks, tabs and styles (CSI ... m) are kept, and everything else that a terminal
/// obeys is made visible as by printable(). For whole texts, which may contain other people's names
/// and messages.
[[nodiscard]] std::string console_text(std::string_view text);

/// Returns as much of `text`, which holds no escape sequences, as fits into `columns`.
[[nodiscard]] std::string cut_to_columns(std::string_view text, unsigned columns);

}  // namespace muster::client
