#include "page/log_lines.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace muster::page {
namespace {

/// The number of bytes at the end of `text` that are the beginning of a character.
size_t torn_character(std::string_view text) {
  for (size_t back = 1; back <= std::min<size_t>(3, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if (byte < 0x80) {
      return 0;
    }
    if (byte >= 0xC0) {
      const size_t needed = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
      return back < needed ? back : 0;
    }
  }
  return 0;
}

/// Tells the times of lines that are asked for in order.
class LineTimes {
 public:
  explicit LineTimes(const LogPiece& piece) : times_(piece.times) {}
  int64_t at(uint64_t offset) {
    while (next_ < times_.size() && times_[next_].first <= offset) {
      ++next_;
    }
    return next_ == 0 ? 0
                      : std::chrono::duration_cast<std::chrono::milliseconds>(
                            times_[next_ - 1].second.time_since_epoch())
                            .count();
  }

 private:
  const std::vector<std::pair<uint64_t, WallTime>>& times_;
  size_t next_ = 0;
};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

LogLines lines_of(const LogPiece& piece, bool at_line, bool runs) {
  const std::string_view bytes = piece.bytes;
  size_t at = 0;
  if (!at_line && piece.from > piece.begin) {
    const size_t end = bytes.find('\n');
    at = end == std::string_view::npos ? 0 : end + 1;
  }
  LogLines lines{.json = "[", .from = piece.from + at, .next = piece.from + at, .open = false};
  LineTimes times(piece);
  const auto add = [&](std::string_view text) {
    lines.json += fmt::format("{}[{},{},{}]", lines.json.size() == 1 ? "" : ",", piece.from + at,
                              times.at(piece.from + at), json_quote(text));
  };
  for (size_t end = bytes.find('\n', at); end != std::string_view::npos;
       end = bytes.find('\n', at)) {
    add(bytes.substr(at, end - at));
    at = end + 1;
  }
  lines.next = piece.from + at;
  std::string_view rest = bytes.substr(at);
  const bool at_end = piece.next >= piece.end;
  if (!rest.empty() && (at_end || lines.next == lines.from)) {
    rest.remove_suffix(at_end && !runs ? 0 : torn_character(rest));
    if (!rest.empty()) {
      add(rest);
    }
    lines.open = at_end && runs;
    lines.next += lines.open ? 0 : rest.size();
  }
  lines.json += "]";
  return lines;
}

std::optional<size_t> find_words(std::string_view bytes, const std::vector<std::string>& words,
                                 bool backwards) {
  std::string folded(bytes);
  std::ranges::transform(folded, folded.begin(), lower);
  std::optional<size_t> found;
  for (const std::string& word : words) {
    // Forwards only what stands before the best so far is of interest.
    const std::string_view within =
        backwards || !found
            ? std::string_view(folded)
            : std::string_view(folded).substr(0, std::min(folded.size(), *found + word.size()));
    const size_t at = backwards ? within.rfind(word) : within.find(word);
    if (at != std::string_view::npos) {
      found = !found ? at : backwards ? std::max(*found, at) : std::min(*found, at);
    }
  }
  return found;
}

}  // namespace muster::page
