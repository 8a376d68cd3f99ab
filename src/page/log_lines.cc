#include "page/log_lines.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace muster::page {
namespace {

/// Returns how many bytes at the end of `text` are an incomplete character.
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

/// Returns the times of lines, which must be asked for in order.
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

/// A text that is read from its beginning or from its end.
class Letters {
 public:
  Letters(std::string_view text, bool backwards) : text_(text), backwards_(backwards) {}
  [[nodiscard]] size_t size() const { return text_.size(); }
  [[nodiscard]] char operator[](size_t at) const { return text_[index_of(at)]; }
  /// Returns where the letter comes next, from `at` on; size() if nowhere.
  [[nodiscard]] size_t next(char letter, size_t at) const {
    const size_t found = backwards_ ? text_.rfind(letter, index_of(at)) : text_.find(letter, at);
    return found == std::string_view::npos ? size() : index_of(found);
  }

 private:
  [[nodiscard]] size_t index_of(size_t at) const { return backwards_ ? size() - 1 - at : at; }

  std::string_view text_;
  bool backwards_;
};

/// Returns how many letters have been read when the first `word` is complete; nullopt if it does
/// not occur. One pass (Knuth, Morris and Pratt): a library's search compares a long word anew at
/// each place of a log that is made for it, and holds up the loop for as long.
std::optional<size_t> first_end_of(const Letters& word, const Letters& text) {
  // For each prefix of the word: the length of its longest proper suffix that is also a prefix.
  std::vector<size_t> borders(word.size());
  const auto goes_on = [&](size_t come, char letter) {
    while (come > 0 && word[come] != letter) {
      come = borders[come - 1];
    }
    return word[come] == letter ? come + 1 : 0;
  };
  for (size_t at = 1; at < word.size(); ++at) {
    borders[at] = goes_on(borders[at - 1], word[at]);
  }
  size_t come = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (come == 0) {
      at = text.next(word[0], at);
    }
    if (at == text.size()) {
      break;
    }
    come = goes_on(come, text[at]);
    if (come == word.size()) {
      return at + 1;
    }
  }
  return std::nullopt;
}

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
    // When searching forwards, only what comes before the best result so far is of interest.
    const std::string_view within =
        backwards || !found
            ? std::string_view(folded)
            : std::string_view(folded).substr(0, std::min(folded.size(), *found + word.size()));
    const auto read = first_end_of({word, backwards}, {within, backwards});
    if (read) {
      const size_t at = backwards ? within.size() - *read : *read - word.size();
      found = !found ? at : backwards ? std::max(*found, at) : std::min(*found, at);
    }
  }
  return found;
}

}  // namespace muster::page
