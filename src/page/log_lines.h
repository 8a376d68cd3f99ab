#pragma once

#include "page/job_view.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::page {

/// A piece of a log as lines, for the page.
struct LogLines {
  std::string json;   ///< An array of [offset, milliseconds since 1970 or 0, "text"].
  uint64_t from = 0;  ///< Where the first line begins.
  uint64_t next = 0;  ///< Where the line after the last whole one begins.
  bool open = false;  ///< The last line of `json` begins at `next` and is not complete yet.
};

/// Cuts a piece at its line breaks. `at_line`: it begins with a line; otherwise what stands before
/// the first line break is left out. `runs`: more may follow the log's end. A line that fills the
/// whole piece is cut between two characters.
[[nodiscard]] LogLines lines_of(const LogPiece& piece, bool at_line, bool runs);

/// Returns where the first (backwards: the last) of `words` stands in `bytes`, ignoring ASCII case;
/// nullopt if none does. `words` are in lower case, and not empty. Takes time proportional to the
/// bytes, once for each word, whatever both are.
[[nodiscard]] std::optional<size_t> find_words(std::string_view bytes,
                                               const std::vector<std::string>& words,
                                               bool backwards);

}  // namespace muster::page
