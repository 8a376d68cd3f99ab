#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

/// Returns `text` as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_quote(std::string_view text);

/// Returns `text` quoted for /bin/sh so that it is one word there; plain words stay as they are.
[[nodiscard]] std::string shell_quote(std::string_view text);
/// Returns `words` as one command for /bin/sh: each of them quoted, with spaces between.
[[nodiscard]] std::string shell_command(std::span<const std::string> words);

/// Returns the candidate nearest to `word` by edit distance, if it is near enough to be a likely
/// typo (at most a third of its length, at least 1); ties go to the first.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view word,
                                                      std::span<const std::string_view> candidates);

/// Splits at every `separator`; an empty text gives one empty part.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

/// Joins with `separator` between.
[[nodiscard]] std::string join(std::span<const std::string> parts, std::string_view separator);

/// Returns `text` without leading and trailing blanks (space, tab, CR, LF).
[[nodiscard]] std::string_view trim(std::string_view text);

/// Returns the offset of the first line end in `bytes`, LF or CR, or npos. As fast as memory is
/// read: for output of programs, which may come by the gigabyte.
[[nodiscard]] size_t find_line_end(std::string_view bytes);
/// The same for the last one.
[[nodiscard]] size_t find_last_line_end(std::string_view bytes);

/// Returns the offset of the first byte that is not part of valid UTF-8, or nullopt if all are.
[[nodiscard]] std::optional<size_t> find_invalid_utf8(std::string_view text);

/// Returns sizes for users in binary units: "512 MiB", "1.5 GiB".
[[nodiscard]] std::string format_bytes(uint64_t bytes);

/// Returns `text` with control bytes and invalid UTF-8 made visible or dropped, fit for a terminal:
/// escape sequences cannot pass.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace muster
