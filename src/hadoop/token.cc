#include "hadoop/token.h"

#include "hadoop/writable.h"

#include <cstdint>

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

}  // namespace

std::string encode_url_token(const Token& token) {
  WritableWriter writer;
  writer.bytes(token.identifier);
  writer.bytes(token.password.reveal());
  writer.bytes(token.kind);
  writer.bytes(token.service);
  return to_base64(writer.take());
}

}  // namespace muster::hadoop
