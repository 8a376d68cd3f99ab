#include "client/show/terminal_text.h"

#include "base/text.h"

#include <algorithm>

namespace muster::client {
namespace {

constexpr char kEscape = '\x1b';

/// Returns the length of the escape sequence that `text` begins with; 0 if it is none.
size_t escape_length(std::string_view text) {
  if (text.size() < 2 || text[0] != kEscape) {
    return 0;
  }
  const char kind = text[1];
  if (kind == '[') {  // CSI: parameters and intermediates, then one final byte.
    size_t at = 2;
    while (at < text.size() && text[at] >= 0x20 && text[at] <= 0x3F) {
      ++at;
    }
    return at < text.size() && text[at] >= 0x40 && text[at] <= 0x7E ? at + 1 : 0;
  }
  if (kind == ']' || kind == 'P' || kind == '^' || kind == '_' || kind == 'X') {
    // A string up to BEL or ST; an unfinished one takes the rest of the line with it.
    const size_t bell = text.find('\a', 2);
    const size_t terminator = text.find("\x1b\\", 2);
    if (bell < terminator) {
      return bell + 1;
    }
    return terminator == std::string_view::npos ? text.size() : terminator + 2;
  }
  if (kind >= 0x20 && kind <= 0x2F) {  // Character sets: ESC ( B.
    return std::min<size_t>(text.size(), 3);
  }
  return kind >= 0x30 && kind <= 0x7E ? 2 : 0;
}

/// Returns whether a whole sequence sets colours and styles: digits, `;` and `:` before its `m`.
bool is_style(std::string_view sequence) {
  return sequence.starts_with("\x1b[") && sequence.ends_with('m') &&
         sequence.substr(2, sequence.size() - 3).find_first_not_of("0123456789;:") ==
             std::string_view::npos;
}

}  // namespace

std::string terminal_text(std::string_view line, bool colours) {
  std::string out;
  bool styled = false;
  while (!line.empty()) {
    const size_t escape = std::min(line.find(kEscape), line.size());
    out += printable(line.substr(0, escape));
    line.remove_prefix(escape);
    if (line.empty()) {
      break;
    }
    const size_t length = escape_length(line);
    const std::string_view sequence = line.substr(0, length);
    if (length == 0) {
      out += printable(line.substr(0, 1));
      line.remove_prefix(1);
      continue;
    }
    if (colours && is_style(sequence)) {
      out += sequence;
      styled = true;
    }
    line.remove_prefix(length);
  }
  return styled ? out + "\x1b[0m" : out;
}

std::string console_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t kept = std::min(text.find_first_of("\n\x1b"), text.size());
    out += printable(text.substr(0, kept));
    text.remove_prefix(kept);
    if (text.empty()) {
      break;
    }
    const size_t length = std::max<size_t>(1, escape_length(text));
    const std::string_view next = text.substr(0, length);
    const bool passes = next == "\n" || is_style(next);
    out += passes ? std::string(next) : printable(next.substr(0, 1));
    text.remove_prefix(passes ? length : 1);
  }
  return out;
}

std::string cut_to_columns(std::string_view text, unsigned columns) {
  size_t bytes = 0;
  for (unsigned used = 0; used < columns && bytes < text.size(); ++used) {
    ++bytes;
    while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) {
      ++bytes;
    }
  }
  return std::string(text.substr(0, bytes));
}

}  // namespace muster::client
