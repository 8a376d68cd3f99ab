#include "verdict/clean_text.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::verdict {
namespace {

constexpr size_t kLineBytesMax = 4096;
constexpr char kEscape = '\x1b';

/// Returns the length of the escape sequence at the start of `text`, which starts with ESC.
size_t escape_length(std::string_view text) {
  if (text.size() < 2) {
    return text.size();
  }
  if (text[1] == '[') {
    const auto end = std::find_if(text.begin() + 2, text.end(),
                                  [](char c) { return c >= '\x40' && c <= '\x7e'; });
    return std::min<size_t>(text.size(), static_cast<size_t>(end - text.begin()) + 1);
  }
  if (text[1] == ']') {
    const size_t end = text.find_first_of("\a\x1b", 2);
    if (end == std::string_view::npos) {
      return text.size();
    }
    return text[end] == kEscape ? std::min(text.size(), end + 2) : end + 1;
  }
  return 2;
}

std::string without_escapes(std::string_view line) {
  std::string out;
  while (!line.empty()) {
    if (line[0] == kEscape) {
      line.remove_prefix(escape_length(line));
      continue;
    }
    out += line[0];
    line.remove_prefix(1);
  }
  return out;
}

bool is_mostly_binary(std::string_view line) {
  const std::string shown = printable(line);
  size_t strange = 0;
  for (size_t at = shown.find("\xEF\xBF\xBD"); at != std::string::npos;
       at = shown.find("\xEF\xBF\xBD", at + 3)) {
    ++strange;
  }
  strange += static_cast<size_t>(std::ranges::count_if(
      line, [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t'; }));
  return strange * 4 > line.size();
}

std::string_view without_rank(std::string_view line) {
  constexpr std::string_view kPrefix = "[rank";
  if (!line.starts_with(kPrefix)) {
    return line;
  }
  const size_t end = line.find_first_not_of("0123456789", kPrefix.size());
  if (end == std::string_view::npos || end == kPrefix.size() ||
      !line.substr(end).starts_with("]:")) {
    return line;
  }
  line.remove_prefix(end + 2);
  return line.starts_with(' ') ? line.substr(1) : line;
}

std::string clean_line(std::string_view line) {
  while (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  line = line.substr(line.rfind('\r') + 1);
  const size_t size = line.size();
  line = line.substr(0, kLineBytesMax);
  const std::string plain = without_escapes(line);
  if (is_mostly_binary(plain)) {
    return fmt::format("({} bytes that are not text)", size);
  }
  return printable(without_rank(plain));
}

}  // namespace

std::vector<std::string> clean_lines(std::string_view text, size_t bytes_max) {
  if (text.size() > bytes_max) {
    text.remove_prefix(text.size() - bytes_max);
    const size_t newline = text.find('\n');
    if (newline != std::string_view::npos && newline + 1 < text.size()) {
      text.remove_prefix(newline + 1);
    }
  }
  std::vector<std::string> lines;
  if (text.empty()) {
    return lines;
  }
  for (const std::string_view line : split(text, '\n')) {
    lines.push_back(clean_line(line));
  }
  if (lines.back().empty()) {
    lines.pop_back();
  }
  return lines;
}

std::string clip(std::string_view text, size_t bytes_max) {
  constexpr std::string_view kDots = "...";
  if (text.size() <= bytes_max) {
    return std::string(text);
  }
  size_t end = bytes_max > kDots.size() ? bytes_max - kDots.size() : 0;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;
  }
  return std::string(text.substr(0, end)).append(kDots);
}

}  // namespace muster::verdict
