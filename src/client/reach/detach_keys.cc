#include "client/reach/detach_keys.h"

#include "base/text.h"
#include "client/show/failure.h"

#include <fmt/format.h>

namespace muster::client {
namespace {

constexpr std::string_view kControl = "ctrl-";
constexpr size_t kKeysMax = 8;
/// What Ctrl makes of the characters from @ to _.
constexpr char kControlBit = 0x40;

bool is_printable(char key) { return key > ' ' && key < 0x7f; }

/// Returns the byte of one key; 0 if it is not a key.
char byte_of(std::string_view key) {
  if (key.size() == 1 && is_printable(key[0])) {
    return key[0];
  }
  if (!key.starts_with(kControl) || key.size() != kControl.size() + 1) {
    return 0;
  }
  char letter = key.back();
  letter = letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  return letter > '@' && letter <= '_' ? static_cast<char>(letter - kControlBit) : '\0';
}

}  // namespace

Result<std::string> parse_detach_keys(std::string_view text) {
  std::string keys;
  if (text == "none") {
    return keys;
  }
  for (const std::string_view each : split(text, ',')) {
    const char byte = byte_of(each);
    if (byte == 0) {
      return user_error(
          fmt::format("`{}` is not a key; write keys as in ctrl-],d or ctrl-p,ctrl-q, or none",
                      printable(each)));
    }
    keys += byte;
  }
  if (keys.size() > kKeysMax) {
    return user_error(fmt::format("at most {} keys can make up the detach sequence, not {}",
                                  kKeysMax, keys.size()));
  }
  return keys;
}

std::string describe_keys(std::string_view keys) {
  std::string text;
  for (const char key : keys) {
    text += text.empty() ? "" : " ";
    text += is_printable(key) ? std::string(1, key)
                              : fmt::format("Ctrl-{}", static_cast<char>(key + kControlBit));
  }
  return text;
}

DetachWatch::Typed DetachWatch::take(std::string_view bytes) {
  Typed typed;
  if (keys_.empty()) {
    typed.bytes = bytes;
    return typed;
  }
  for (const char byte : bytes) {
    if (byte != keys_[matched_]) {
      // Not the keys after all: pass on what was held back; this byte may begin them again.
      typed.bytes.append(keys_, 0, std::exchange(matched_, 0));
    }
    if (byte != keys_[matched_]) {
      typed.bytes += byte;
    } else if (++matched_ == keys_.size()) {
      matched_ = 0;
      typed.detached = true;
      return typed;
    }
  }
  return typed;
}

}  // namespace muster::client
