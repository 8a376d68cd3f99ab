#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace muster::verdict {

/// At most this much of the end of each stream is examined.
inline constexpr size_t kTailBytesMax = 32 << 10;
/// Evidence is never longer.
inline constexpr size_t kEvidenceBytesMax = 4096;

/// What a program said last, made readable: no escape sequences, no binary data, no lines that were
/// overwritten by a progress bar. An *error* is the message of a Python traceback, of an uncaught
/// C++ exception, or of a fatal log line; if there is none, the last lines take its place.
struct LastWords {
  std::string output;       ///< Everything kept, one line each.
  std::string final_error;  ///< The last error.
  std::string errors;       ///< The errors that led to it, oldest first, and it.
  bool uncaught = false;    ///< The last error is that of a Python traceback.
  /// Where it happened: the traceback's innermost frames, or the last lines.
  std::vector<std::string> context;
};

/// Reads the ends of both streams; errors are looked for in `stderr_tail` first.
[[nodiscard]] LastWords read_last_words(std::string_view stdout_tail, std::string_view stderr_tail);

/// Returns the evidence: `headline` (if empty: the last error's first line), then the context. At
/// most kEvidenceBytesMax bytes of printable UTF-8; empty if the program said nothing.
[[nodiscard]] std::string evidence_of(const LastWords& words, std::string_view headline);

}  // namespace muster::verdict
