#include "hadoop/ticket_cache.h"

#include "hadoop/writable.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace muster::hadoop {
namespace {

/// Under this realm the libraries keep notes of their own in the cache.
constexpr std::string_view kNotesRealm = "X-CACHECONF:";
constexpr uint32_t kPartsMax = 64;

/// The file's numbers are big-endian and its strings have lengths of four bytes, as in Java.
class Reader {
 public:
  Reader(std::string_view bytes, int version) : reader_(bytes), version_(version) {}

  [[nodiscard]] bool at_end() const { return reader_.at_end(); }
  Status skip_bytes(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      MUSTER_TRY([[maybe_unused]] const uint8_t byte, reader_.byte());
    }
    return {};
  }
  Status skip_text() {
    MUSTER_TRY([[maybe_unused]] const std::string_view text, reader_.int32_bytes());
    return {};
  }
  Result<uint32_t> number() {
    MUSTER_TRY(const int32_t value, reader_.int32());
    return static_cast<uint32_t>(value);
  }
  Result<WallTime> time() {
    MUSTER_TRY(const uint32_t seconds, number());
    return WallTime(std::chrono::seconds(seconds));
  }
  Result<uint32_t> count() {
    const size_t at = reader_.offset();
    MUSTER_TRY(const uint32_t value, number());
    if (value > kPartsMax) {
      return Error{Errc::Corrupt, Blame::User,
                   fmt::format("damaged at byte {}: too many parts ({})", at, value)};
    }
    return value;
  }

  Status header();
  Result<std::string> principal(bool& is_note);
  Result<std::pair<Ticket, bool>> ticket();

 private:
  WritableReader reader_;
  int version_;
};

Status Reader::header() {
  MUSTER_TRY_STATUS(skip_bytes(2));
  if (version_ < 4) {
    return {};
  }
  MUSTER_TRY(const uint8_t high, reader_.byte());
  MUSTER_TRY(const uint8_t low, reader_.byte());
  return skip_bytes(static_cast<size_t>(high) << 8 | low);
}

Result<std::string> Reader::principal(bool& is_note) {
  MUSTER_TRY_STATUS(skip_bytes(4));  // The type of the name.
  MUSTER_TRY(const uint32_t parts, count());
  MUSTER_TRY(const std::string_view realm, reader_.int32_bytes());
  is_note = realm == kNotesRealm;
  std::string out;
  for (uint32_t i = 0; i < parts; ++i) {
    MUSTER_TRY(const std::string_view part, reader_.int32_bytes());
    out += i == 0 ? "" : "/";
    out += part;
  }
  return fmt::format("{}@{}", out, realm);
}

Result<std::pair<Ticket, bool>> Reader::ticket() {
  Ticket out;
  bool is_note = false;
  MUSTER_TRY(out.client, principal(is_note));
  MUSTER_TRY(out.server, principal(is_note));
  MUSTER_TRY_STATUS(skip_bytes(version_ == 3 ? 4 : 2));  // The key's type; version 3 has it twice.
  MUSTER_TRY_STATUS(skip_text());                        // The key.
  MUSTER_TRY(const WallTime authenticated, time());
  MUSTER_TRY(out.starts, time());
  if (out.starts == WallTime{}) {
    out.starts = authenticated;
  }
  MUSTER_TRY(out.ends, time());
  MUSTER_TRY(out.renewable_until, time());
  MUSTER_TRY_STATUS(skip_bytes(1 + 4));   // For whom its key is encrypted, flags.
  for (int list = 0; list < 2; ++list) {  // Addresses, authorization data.
    MUSTER_TRY(const uint32_t entries, count());
    for (uint32_t i = 0; i < entries; ++i) {
      MUSTER_TRY_STATUS(skip_bytes(2));
      MUSTER_TRY_STATUS(skip_text());
    }
  }
  MUSTER_TRY_STATUS(skip_text());  // The ticket.
  MUSTER_TRY_STATUS(skip_text());  // A second ticket.
  return std::pair(std::move(out), is_note);
}

}  // namespace

const Ticket* TicketCache::granting() const {
  const size_t at = principal.rfind('@');
  const std::string realm = at == std::string::npos ? std::string() : principal.substr(at + 1);
  const std::string wanted = fmt::format("krbtgt/{}@{}", realm, realm);
  const Ticket* found = nullptr;
  for (const Ticket& ticket : tickets) {
    if (ticket.server == wanted && (found == nullptr || ticket.ends > found->ends)) {
      found = &ticket;
    }
  }
  return found;
}

Result<TicketCache> parse_ticket_cache(std::string_view bytes) {
  if (bytes.size() < 2 || bytes[0] != 5 || bytes[1] < 1 || bytes[1] > 4) {
    return Error{Errc::Corrupt, Blame::User, "not a Kerberos ticket cache"};
  }
  if (bytes[1] < 3) {
    return Error{Errc::Unsupported, Blame::User,
                 fmt::format("a Kerberos ticket cache of version {}, which is too old", +bytes[1])};
  }
  Reader reader(bytes, bytes[1]);
  MUSTER_TRY_STATUS(reader.header());
  TicketCache out;
  bool is_note = false;
  MUSTER_TRY(out.principal, reader.principal(is_note));
  while (!reader.at_end()) {
    MUSTER_TRY(auto ticket, reader.ticket());
    if (!ticket.second) {
      out.tickets.push_back(std::move(ticket.first));
    }
  }
  return out;
}

}  // namespace muster::hadoop
