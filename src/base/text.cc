#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace muster {
namespace {

/// Returns the length of the valid UTF-8 sequence at the start of `text`, or 0.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto continues = [&](size_t i) { return i < text.size() && (byte(i) & 0xC0) == 0x80; };
  const unsigned char lead = byte(0);
  if (lead < 0x80) {
    return 1;
  }
  if (lead >= 0xC2 && lead <= 0xDF) {
    return continues(1) ? 2 : 0;
  }
  if (lead >= 0xE0 && lead <= 0xEF) {
    if (!continues(1) || !continues(2) || (lead == 0xE0 && byte(1) < 0xA0) ||
        (lead == 0xED && byte(1) > 0x9F)) {
      return 0;
    }
    return 3;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if (!continues(1) || !continues(2) || !continues(3) || (lead == 0xF0 && byte(1) < 0x90) ||
        (lead == 0xF4 && byte(1) > 0x8F)) {
      return 0;
    }
    return 4;
  }
  return 0;
}

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Returns the character of a valid sequence of two or three bytes; 0 for any other.
unsigned short_character(std::string_view sequence) {
  const auto bits = [&](size_t at) { return static_cast<unsigned char>(sequence[at]) & 0x3FU; };
  switch (sequence.size()) {
    case 2:
      return (bits(0) & 0x1FU) << 6 | bits(1);
    case 3:
      return (bits(0) & 0x0FU) << 12 | bits(1) << 6 | bits(2);
    default:
      return 0;
  }
}

/// Returns whether a character beyond ASCII is not shown itself but changes how others are: the C1
/// controls, which some terminals obey like escape sequences, the marks that reverse the direction
/// of text, and the separators at which some programs begin a new line.
bool is_hidden_control(unsigned character) {
  const auto within = [&](unsigned low, unsigned high) {
    return character >= low && character <= high;
  };
  return within(0x80, 0x9F) || character == 0x61C || within(0x200E, 0x200F) ||
         within(0x2028, 0x202E) || within(0x2066, 0x2069);
}

bool is_plain_character(char c) { return c >= 0x20 && c < 0x7F; }

bool is_plain(std::string_view text) { return std::ranges::all_of(text, is_plain_character); }

/// By hand: binary output consists of these, and fmt takes several times as long.
void append_escape(std::string& out, unsigned short_character) {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  const auto digit = [&](unsigned shift) { return kHexDigits[(short_character >> shift) & 0xFU]; };
  const char escape[] = {'\\', 'u', digit(12), digit(8), digit(4), digit(0)};
  out.append(escape, sizeof escape);
}

/// Counts insertions, deletions, replacements and swaps of neighbours ("rnu" is one away from
/// "run").
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  std::vector<size_t> next(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = row[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U);
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        next[j] = std::min(next[j], before[j - 2] + 1);
      }
    }
    std::swap(before, row);
    std::swap(row, next);
  }
  return row[b.size()];
}

}  // namespace

std::optional<size_t> find_invalid_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t length = utf8_length(text.substr(at));
    if (length == 0) {
      return at;
    }
    at += length;
  }
  return std::nullopt;
}

std::string json_quote(std::string_view text) {
  const auto stands_for_itself = [](char c) {
    return is_plain_character(c) && c != '"' && c != '\\';
  };
  std::string out = "\"";
  while (!text.empty()) {
    if (const auto* const end = std::ranges::find_if_not(text, stands_for_itself);
        end != text.begin()) {
      out.append(text.begin(), end);
      text.remove_prefix(static_cast<size_t>(end - text.begin()));
      continue;
    }
    const size_t length = utf8_length(text);
    if (length == 0) {
      out += kReplacement;
      text.remove_prefix(1);
      continue;
    }
    const char c = text[0];
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      append_escape(out, static_cast<unsigned char>(c));
    } else if (const unsigned character = short_character(text.substr(0, length));
               is_hidden_control(character)) {
      append_escape(out, character);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  out += '"';
  return out;
}

std::string shell_quote(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./:=,@%+").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) {
    return std::string(text);
  }
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  out += '\'';
  return out;
}

std::string shell_command(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + shell_quote(word);
  }
  return text;
}

std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> candidates) {
  std::optional<std::string_view> best;
  size_t best_distance = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const auto [shorter, longer] = std::minmax({word.size(), candidate.size()});
    if (longer - shorter >= best_distance) {
      continue;  // They differ by at least that many letters.
    }
    const size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(at + 1);
  }
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) {
      out += separator;
    }
    out += parts[i];
  }
  return out;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

size_t find_line_end(std::string_view bytes) {
  // In pieces, so that text with only one kind of line end is not searched for the other to its
  // very end for each line.
  constexpr size_t kPiece = 4096;
  for (size_t from = 0; from < bytes.size(); from += kPiece) {
    const std::string_view piece = bytes.substr(from, kPiece);
    const size_t feed = piece.find('\n');
    const size_t end = std::min(feed, piece.substr(0, feed).find('\r'));
    if (end != std::string_view::npos) {
      return from + end;
    }
  }
  return std::string_view::npos;
}

size_t find_last_line_end(std::string_view bytes) {
  const auto last = [&](std::string_view text, char byte) -> const char* {
    return static_cast<const char*>(::memrchr(text.data(), byte, text.size()));
  };
  constexpr size_t kPiece = 4096;
  while (!bytes.empty()) {
    const size_t from = bytes.size() - std::min(bytes.size(), kPiece);
    const std::string_view piece = bytes.substr(from);
    const char* end = std::max(last(piece, '\n'), last(piece, '\r'));
    if (end != nullptr) {
      return static_cast<size_t>(end - bytes.data());
    }
    bytes = bytes.substr(0, from);
  }
  return std::string_view::npos;
}

std::string format_bytes(uint64_t bytes) {
  constexpr std::string_view kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  const bool whole = value == static_cast<double>(static_cast<uint64_t>(value));
  return whole ? fmt::format("{} {}", static_cast<uint64_t>(value), kUnits[unit])
               : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string printable(std::string_view text) {
  if (is_plain(text)) {
    return std::string(text);
  }
  std::string out;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    if (length == 0 || is_hidden_control(short_character(text.substr(0, length)))) {
      out += kReplacement;
    } else if ((byte < 0x20 && byte != '\t') || byte == 0x7F) {
      out += fmt::format("^{}", static_cast<char>(byte ^ 0x40));
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace muster
