// What muster-krb5 has of the world: the C library's oldest functions, the host's GSSAPI, and
// replies on standard output. Of the helper alone: README.md says how it is built.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {
// NOLINTBEGIN(readability-identifier-naming, readability-inconsistent-declaration-parameter-name)
long read(int fd, void* buffer, size_t size);
long write(int fd, const void* buffer, size_t size);
void* malloc(size_t size);
void free(void* memory);
size_t strlen(const char* text);
// lint: allow(nss) this program exists to load the host's GSSAPI
void* dlopen(const char* file, int mode);
void* dlsym(void* library, const char* name);
// NOLINTEND(readability-identifier-naming, readability-inconsistent-declaration-parameter-name)
}

namespace muster::hadoop::krb5::helper {

// GSSAPI's own forms (RFC 2744), as MIT and Heimdal lay them out.
struct Buffer {
  size_t length;
  void* value;
};
struct Oid {
  uint32_t length;
  const void* elements;
};
struct OidSet {
  size_t count;
  const Oid* elements;
};
using Handle = void*;

inline constexpr uint32_t kMutual = 2;
inline constexpr uint32_t kReplay = 4;
inline constexpr uint32_t kSequence = 8;
inline constexpr uint32_t kConfidential = 16;
inline constexpr uint32_t kIntegrity = 32;
inline constexpr uint32_t kContinue = 1;
inline constexpr uint32_t kNoCredential = 7;
inline constexpr uint32_t kCredentialExpired = 11;
inline constexpr uint32_t kRequestBytesMax = 64U << 20;

inline constexpr uint8_t kKerberosBytes[] = {0x2a, 0x86, 0x48, 0x86, 0xf7, 0x12, 0x01, 0x02, 0x02};
inline constexpr uint8_t kHostServiceBytes[] = {0x2a, 0x86, 0x48, 0x86, 0xf7,
                                                0x12, 0x01, 0x02, 0x01, 0x04};
inline constexpr uint8_t kSpnegoBytes[] = {0x2b, 0x06, 0x01, 0x05, 0x05, 0x02};
inline constexpr Oid kKerberos{sizeof kKerberosBytes, kKerberosBytes};
inline constexpr Oid kHostService{sizeof kHostServiceBytes, kHostServiceBytes};
inline constexpr Oid kSpnego{sizeof kSpnegoBytes, kSpnegoBytes};

/// The reply's first byte. The other side (kerberos_process.h) has the same.
enum class Verdict : uint8_t {
  More = 0,       ///< The dialogue goes on; the payload is the next token.
  Complete = 1,   ///< It is complete; the payload is the last token, perhaps empty.
  Done = 2,       ///< Wrapped or unwrapped bytes.
  Failed = 3,     ///< The payload says why.
  NoTicket = 4,   ///< The same; there is no valid ticket.
  NoLibrary = 5,  ///< The same; this host has no GSSAPI.
};

/// The functions of the host's library.
struct Gssapi {
  uint32_t (*import_name)(uint32_t*, const Buffer*, const Oid*, Handle*);
  uint32_t (*init_sec_context)(uint32_t*, Handle, Handle*, Handle, const Oid*, uint32_t, uint32_t,
                               void*, const Buffer*, Oid**, Buffer*, uint32_t*, uint32_t*);
  uint32_t (*wrap)(uint32_t*, Handle, int, uint32_t, const Buffer*, int*, Buffer*);
  uint32_t (*unwrap)(uint32_t*, Handle, const Buffer*, Buffer*, int*, uint32_t*);
  uint32_t (*display_status)(uint32_t*, uint32_t, int, const Oid*, uint32_t*, Buffer*);
  uint32_t (*release_buffer)(uint32_t*, Buffer*);
};

/// Those of them that servers need.
struct GssapiOfServers {
  uint32_t (*acquire_cred)(uint32_t*, Handle, uint32_t, const OidSet*, int, Handle*, OidSet**,
                           uint32_t*);
  uint32_t (*accept_sec_context)(uint32_t*, Handle*, Handle, const Buffer*, void*, Handle*, Oid**,
                                 Buffer*, uint32_t*, uint32_t*, Handle*);
  uint32_t (*localname)(uint32_t*, Handle, const Oid*, Buffer*);
};

inline bool write_all(const void* bytes, size_t size) {
  const auto* at = static_cast<const uint8_t*>(bytes);
  while (size > 0) {
    const long written = write(1, at, size);
    if (written <= 0) {
      return false;
    }
    at += written;
    size -= static_cast<size_t>(written);
  }
  return true;
}

inline bool read_all(void* bytes, size_t size) {
  auto* at = static_cast<uint8_t*>(bytes);
  while (size > 0) {
    const long got = read(0, at, size);
    if (got <= 0) {
      return false;
    }
    at += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

inline bool reply(Verdict verdict, const void* payload, size_t size) {
  const size_t length = size + 1;
  const uint8_t head[5] = {static_cast<uint8_t>(length >> 24), static_cast<uint8_t>(length >> 16),
                           static_cast<uint8_t>(length >> 8), static_cast<uint8_t>(length),
                           static_cast<uint8_t>(verdict)};
  return write_all(head, sizeof head) && write_all(payload, size);
}

inline bool reply_text(Verdict verdict, const char* text) {
  return reply(verdict, text, strlen(text));
}

template <class Function>
bool find(void* library, const char* name, Function& function) {
  void* found = dlsym(library, name);
  __builtin_memcpy(&function, &found, sizeof found);
  return found != nullptr;
}

/// Fills in `api` and, where it is wanted, `servers`; false if this host's library has not all of
/// it.
inline bool load(Gssapi& api, GssapiOfServers* servers) {
  constexpr int kNow = 2;
  const char* const names[] = {"libgssapi_krb5.so.2", "libgssapi.so.3"};
  for (const char* name : names) {
    // lint: allow(nss) this program exists to load it
    void* library = dlopen(name, kNow);
    if (library != nullptr && find(library, "gss_import_name", api.import_name) &&
        find(library, "gss_init_sec_context", api.init_sec_context) &&
        find(library, "gss_wrap", api.wrap) && find(library, "gss_unwrap", api.unwrap) &&
        find(library, "gss_display_status", api.display_status) &&
        find(library, "gss_release_buffer", api.release_buffer) &&
        (servers == nullptr ||
         (find(library, "gss_acquire_cred", servers->acquire_cred) &&
          find(library, "gss_accept_sec_context", servers->accept_sec_context) &&
          find(library, "gss_localname", servers->localname)))) {
      return true;
    }
  }
  return false;
}

/// Collects the texts of an error, both codes, within a bound.
class Message {
 public:
  void add(const Gssapi& api, uint32_t code, int type, const Oid* mechanism) {
    uint32_t more = 0;
    for (int part = 0; part < 8; ++part) {
      uint32_t minor = 0;
      Buffer text{};
      if (api.display_status(&minor, code, type, mechanism, &more, &text) != 0) {
        return;
      }
      append(text);
      api.release_buffer(&minor, &text);
      if (more == 0) {
        return;
      }
    }
  }
  [[nodiscard]] const char* text() const { return text_; }
  [[nodiscard]] size_t size() const { return size_; }

 private:
  void append(const Buffer& more) {
    if (size_ > 0 && size_ + 2 < sizeof text_) {
      text_[size_++] = ':';
      text_[size_++] = ' ';
    }
    const size_t room = sizeof text_ - size_;
    const size_t count = more.length < room ? more.length : room;
    for (size_t i = 0; i < count; ++i) {
      text_[size_++] = static_cast<const char*>(more.value)[i];
    }
  }

  char text_[1024];
  size_t size_ = 0;
};

/// What an error says. The mechanism's own text says it all; without one the general one must do.
inline Message message_of(const Gssapi& api, uint32_t major, uint32_t minor) {
  constexpr int kMajorCode = 1;
  constexpr int kMinorCode = 2;
  Message message;
  if (minor != 0) {
    message.add(api, minor, kMinorCode, &kKerberos);
  }
  if (message.size() == 0) {
    message.add(api, major, kMajorCode, nullptr);
  }
  return message;
}

/// Replies to a client's request that failed.
inline bool reply_error(const Gssapi& api, uint32_t major, uint32_t minor) {
  const uint32_t routine = major >> 16 & 0xFFU;
  const Message message = message_of(api, major, minor);
  // "Ticket expired" (KRB5KRB_AP_ERR_TKT_EXPIRED) and "no credentials cache" come as a mere failure
  // of some library versions.
  constexpr uint32_t kTicketExpired = 0x96C73A20;
  constexpr uint32_t kNoCache = 0x96C73AC3;
  const bool no_ticket = routine == kNoCredential || routine == kCredentialExpired ||
                         minor == kTicketExpired || minor == kNoCache;
  return reply(no_ticket ? Verdict::NoTicket : Verdict::Failed, message.text(), message.size());
}

}  // namespace muster::hadoop::krb5::helper
