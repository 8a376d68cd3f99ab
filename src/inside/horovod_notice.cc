#include "inside/horovod_notice.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <cstring>
#include <limits>
#include <optional>

namespace muster::inside {
namespace {

Error unreadable(std::string_view what) {
  return user_error(fmt::format("the addresses of a rank's service cannot be read: {}", what));
}

std::optional<std::string> decoded(std::string_view text) {
  constexpr size_t kTextMax = size_t{64} << 10;
  if (text.empty() || text.size() % 4 != 0 || text.size() > kTextMax) {
    return std::nullopt;
  }
  std::string bytes(text.size() / 4 * 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  if (size < 0) {
    return std::nullopt;
  }
  // The decoder counts the padding as bytes.
  const size_t padding = text.ends_with("==") ? 2 : (text.ends_with('=') ? 1 : 0);
  bytes.resize(static_cast<size_t>(size) - padding);
  return bytes;
}

/// Reads a pickle token by token.
class Tokens {
 public:
  explicit Tokens(std::string_view pickle) : rest_(pickle) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  std::optional<uint8_t> byte() {
    const auto one = bytes(1);
    return one ? std::optional(static_cast<uint8_t>(one->front())) : std::nullopt;
  }
  std::optional<std::string_view> bytes(size_t size) {
    if (size > rest_.size()) {
      return std::nullopt;
    }
    const std::string_view found = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return found;
  }
  /// Takes a little-endian number of `size` bytes.
  std::optional<uint64_t> number(size_t size) {
    const auto found = bytes(size);
    if (!found) {
      return std::nullopt;
    }
    uint64_t value = 0;
    for (size_t i = size; i > 0; --i) {
      value = value << 8U | static_cast<uint8_t>((*found)[i - 1]);
    }
    return value;
  }
  /// Takes what follows a length of that many bytes.
  std::optional<std::string_view> counted(size_t size_of_length) {
    const auto length = number(size_of_length);
    return length ? bytes(*length) : std::nullopt;
  }

 private:
  std::string_view rest_;
};

/// Takes the opcodes of what Horovod sends: dictionaries, lists and tuples of texts, numbers and
/// bytes. Anything that makes other objects is refused. Returns false if the pickle is cut off, or
/// for any other opcode.
bool take(Tokens& tokens, uint8_t opcode, std::optional<uint64_t>& number, std::string& key) {
  const auto first_number = [&](std::optional<uint64_t> value) {
    number = number ? number : value;
    return value.has_value();
  };
  const auto last_bytes = [&](std::optional<std::string_view> value) {
    key = value.value_or("");
    return value.has_value();
  };
  switch (opcode) {
    case 0x80:  // PROTO
    case 'h':   // BINGET
      return tokens.byte().has_value();
    case 0x95:  // FRAME
      return tokens.number(8).has_value();
    case 0x94:  // MEMOIZE
    case '}':   // EMPTY_DICT
    case ']':   // EMPTY_LIST
    case '(':   // MARK
    case 'a':   // APPEND
    case 'e':   // APPENDS
    case 's':   // SETITEM
    case 'u':   // SETITEMS
    case 't':   // TUPLE
    case 0x85:  // TUPLE1
    case 0x86:  // TUPLE2
      return true;
    case 'K':  // BININT1
      return first_number(tokens.number(1));
    case 'M':  // BININT2
      return first_number(tokens.number(2));
    case 'J':  // BININT
      return first_number(tokens.number(4));
    case 0x8c:  // SHORT_BINUNICODE
      return tokens.counted(1).has_value();
    case 'X':  // BINUNICODE
      return tokens.counted(4).has_value();
    case 'C':  // SHORT_BINBYTES
      return last_bytes(tokens.counted(1));
    case 'B':  // BINBYTES
      return last_bytes(tokens.counted(4));
    default:
      return false;
  }
}

}  // namespace

Result<NoticeDesk> parse_notice_desk(std::string_view text) {
  constexpr uint8_t kStop = '.';
  const std::optional<std::string> pickle = decoded(text);
  if (!pickle) {
    return unreadable("not base64");
  }
  Tokens tokens(*pickle);
  std::optional<uint64_t> port;
  NoticeDesk desk;
  std::optional<uint8_t> opcode = tokens.byte();
  for (; opcode && *opcode != kStop; opcode = tokens.byte()) {
    if (!take(tokens, *opcode, port, desk.key)) {
      return unreadable(fmt::format("opcode {:#04x} of the pickle", *opcode));
    }
  }
  if (!opcode || !tokens.at_end()) {
    return unreadable("the pickle does not end where it should");
  }
  if (!port || *port == 0 || *port > std::numeric_limits<uint16_t>::max() || desk.key.empty()) {
    return unreadable("no port, or no key");
  }
  desk.port = static_cast<uint16_t>(*port);
  return desk;
}

std::string members_added_notice(std::string_view key, int64_t time) {
  // HostsUpdatedRequest(time, HostUpdateResult.added), in protocol 0.
  const std::string pickle = fmt::format(
      "chorovod.runner.elastic.worker\nHostsUpdatedRequest\n(L{}L\n"
      "chorovod.runner.elastic.worker\nHostUpdateResult\n(I2\ntRtR.",
      time);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int digest_size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(pickle.data()), pickle.size(), digest.data(),
       &digest_size);
  std::string message(reinterpret_cast<const char*>(digest.data()), digest_size);
  const auto size = static_cast<uint32_t>(pickle.size());
  for (unsigned int shift = 0; shift < 32; shift += 8) {
    message += static_cast<char>(size >> shift & 0xffU);
  }
  return message + pickle;
}

}  // namespace muster::inside
