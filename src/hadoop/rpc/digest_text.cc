#include "hadoop/rpc/digest_text.h"

#include "base/ascii.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace muster::hadoop::rpc {
namespace {

/// RFC 2831 allows 2048 for a challenge and 4096 for a response; tokens have grown since.
constexpr size_t kBytesMax = size_t{64} << 10;

Error malformed(std::string_view why, size_t offset) {
  return cluster_error(
      fmt::format("a DIGEST-MD5 message of the server is malformed: {} at byte {}", why, offset),
      Errc::Corrupt);
}

bool is_blank(char byte) { return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n'; }

bool ends_word(char byte) { return is_blank(byte) || byte == ',' || byte == '=' || byte == '"'; }

/// Reads one text from left to right.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  void skip_blanks() {
    while (!done() && is_blank(text_[at_])) {
      ++at_;
    }
  }
  [[nodiscard]] bool done() const { return at_ == text_.size(); }
  [[nodiscard]] size_t offset() const { return at_; }
  bool take(char byte) {
    if (done() || text_[at_] != byte) {
      return false;
    }
    ++at_;
    return true;
  }
  std::string word() {
    const size_t begin = at_;
    while (!done() && !ends_word(text_[at_])) {
      ++at_;
    }
    return std::string(text_.substr(begin, at_ - begin));
  }
  /// Takes the rest of a quoted text after its opening quote.
  Result<std::string> quoted_rest() {
    std::string value;
    while (!done()) {
      const char byte = text_[at_++];
      if (byte == '"') {
        return value;
      }
      if (byte == '\\') {
        if (done()) {
          break;
        }
        value.push_back(text_[at_++]);
      } else {
        value.push_back(byte);
      }
    }
    return malformed("unclosed quote", at_);
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Result<Directives> Directives::parse(std::string_view text) {
  if (text.size() > kBytesMax) {
    return malformed("it is too long", kBytesMax);
  }
  Directives directives;
  Scanner scanner(text);
  while (true) {
    do {
      scanner.skip_blanks();
    } while (scanner.take(','));
    if (scanner.done()) {
      return directives;
    }
    std::string name = ascii_lower(scanner.word());
    scanner.skip_blanks();
    if (name.empty() || !scanner.take('=')) {
      return malformed("missing name=value", scanner.offset());
    }
    scanner.skip_blanks();
    std::string value;
    if (scanner.take('"')) {
      MUSTER_TRY(value, scanner.quoted_rest());
    } else {
      value = scanner.word();
    }
    directives.values_.emplace_back(std::move(name), std::move(value));
    scanner.skip_blanks();
    if (!scanner.done() && !scanner.take(',')) {
      return malformed("missing comma", scanner.offset());
    }
  }
}

std::string_view Directives::find(std::string_view name) const {
  const auto found = std::ranges::find(values_, name, [](const auto& pair) { return pair.first; });
  return found == values_.end() ? std::string_view() : std::string_view(found->second);
}

bool Directives::has(std::string_view name) const {
  return std::ranges::any_of(values_, [&](const auto& pair) { return pair.first == name; });
}

std::vector<std::string_view> Directives::list(std::string_view name) const {
  std::vector<std::string_view> words;
  for (const std::string_view part : split(find(name), ',')) {
    if (const std::string_view word = trim(part); !word.empty()) {
      words.push_back(word);
    }
  }
  return words;
}

std::string in_quotes(std::string_view value) {
  std::string text = "\"";
  for (const char byte : value) {
    if (byte == '"' || byte == '\\') {
      text.push_back('\\');
    }
    text.push_back(byte);
  }
  text.push_back('"');
  return text;
}

}  // namespace muster::hadoop::rpc
