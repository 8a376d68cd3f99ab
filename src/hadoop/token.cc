#include "hadoop/token.h"

#include "hadoop/writable.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>

namespace muster::hadoop {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string to_base64(std::string_view bytes) {
  std::string out;
  uint32_t bits = 0;
  unsigned held = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<uint8_t>(c);
    held += 8;
    while (held >= 6) {
      held -= 6;
      out += kAlphabet[(bits >> held) & 0x3FU];
    }
  }
  if (held > 0) {
    out += kAlphabet[(bits << (6 - held)) & 0x3FU];
  }
  return out;
}

/// Takes the plain alphabet and padding, too.
std::optional<std::string> from_base64(std::string_view text) {
  while (text.ends_with('=')) {
    text.remove_suffix(1);
  }
  std::string out;
  uint32_t bits = 0;
  unsigned held = 0;
  for (char c : text) {
    c = c == '+' ? '-' : c == '/' ? '_' : c;
    const size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos) {
      return std::nullopt;
    }
    bits = bits << 6 | static_cast<uint32_t>(value);
    held += 6;
    if (held >= 8) {
      held -= 8;
      out += static_cast<char>(bits >> held & 0xFFU);
    }
  }
  return text.size() % 4 == 1 ? std::nullopt : std::optional(std::move(out));
}

}  // namespace

std::string encode_url_token(const Token& token) {
  WritableWriter writer;
  writer.bytes(token.identifier);
  writer.bytes(token.password.reveal());
  writer.bytes(token.kind);
  writer.bytes(token.service);
  return to_base64(writer.take());
}

Result<Token> decode_url_token(std::string_view text) {
  const std::optional<std::string> bytes = from_base64(text);
  if (!bytes) {
    return Error{Errc::Corrupt, Blame::User, "a token is not valid base64"};
  }
  WritableReader reader(*bytes);
  Token token;
  MUSTER_TRY(token.identifier, reader.bytes());
  MUSTER_TRY(const std::string_view password, reader.bytes());
  token.password = Secret(std::string(password));
  MUSTER_TRY(token.kind, reader.bytes());
  MUSTER_TRY(token.service, reader.bytes());
  return token;
}

}  // namespace muster::hadoop
