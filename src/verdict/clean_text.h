#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace muster::verdict {

/// Returns the lines of the last `bytes_max` bytes of `text`, in a form fit to be shown and
/// searched: without escape sequences, without what a carriage return overwrote, and without a
/// launcher's prefix "[rank0]: "; lines that are mostly not text are replaced by a remark; a first
/// line that was cut in two is dropped; none is longer than 4 KiB.
[[nodiscard]] std::vector<std::string> clean_lines(std::string_view text, size_t bytes_max);

/// Returns `text`, or its first part and "..." within `bytes_max` bytes; UTF-8 sequences stay
/// whole.
[[nodiscard]] std::string clip(std::string_view text, size_t bytes_max);

}  // namespace muster::verdict
