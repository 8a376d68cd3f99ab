// muster-krb5 SERVICE@HOST: one Kerberos dialogue with a server, by the host's own GSSAPI, for a
// muster that is static and cannot load it. Reads requests from standard input and writes replies
// to standard output until its input ends; README.md has the form of both.
//
// Built apart from everything else (cmake/krb5.cmake): against symbols that every C library since
// glibc 2.17 has, without the C++ library, without headers that name newer ones.

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

namespace {

// GSSAPI's own forms (RFC 2744), as MIT and Heimdal lay them out.
struct Buffer {
  size_t length;
  void* value;
};
struct Oid {
  uint32_t length;
  const void* elements;
};
using Handle = void*;

constexpr uint32_t kMutual = 2;
constexpr uint32_t kReplay = 4;
constexpr uint32_t kSequence = 8;
constexpr uint32_t kConfidential = 16;
constexpr uint32_t kIntegrity = 32;
constexpr uint32_t kContinue = 1;
constexpr uint32_t kNoCredential = 7;
constexpr uint32_t kCredentialExpired = 11;
constexpr uint32_t kRequestBytesMax = 64U << 20;

constexpr uint8_t kKerberosBytes[] = {0x2a, 0x86, 0x48, 0x86, 0xf7, 0x12, 0x01, 0x02, 0x02};
constexpr uint8_t kHostServiceBytes[] = {0x2a, 0x86, 0x48, 0x86, 0xf7,
                                         0x12, 0x01, 0x02, 0x01, 0x04};
constexpr Oid kKerberos{sizeof kKerberosBytes, kKerberosBytes};
constexpr Oid kHostService{sizeof kHostServiceBytes, kHostServiceBytes};

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

bool write_all(const void* bytes, size_t size) {
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

bool read_all(void* bytes, size_t size) {
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

bool reply(Verdict verdict, const void* payload, size_t size) {
  const size_t length = size + 1;
  const uint8_t head[5] = {static_cast<uint8_t>(length >> 24), static_cast<uint8_t>(length >> 16),
                           static_cast<uint8_t>(length >> 8), static_cast<uint8_t>(length),
                           static_cast<uint8_t>(verdict)};
  return write_all(head, sizeof head) && write_all(payload, size);
}

bool reply_text(Verdict verdict, const char* text) { return reply(verdict, text, strlen(text)); }

template <class Function>
bool find(void* library, const char* name, Function& function) {
  void* found = dlsym(library, name);
  __builtin_memcpy(&function, &found, sizeof found);
  return found != nullptr;
}

bool load(Gssapi& api) {
  constexpr int kNow = 2;
  const char* const names[] = {"libgssapi_krb5.so.2", "libgssapi.so.3"};
  for (const char* name : names) {
    // lint: allow(nss) this program exists to load it
    void* library = dlopen(name, kNow);
    if (library != nullptr && find(library, "gss_import_name", api.import_name) &&
        find(library, "gss_init_sec_context", api.init_sec_context) &&
        find(library, "gss_wrap", api.wrap) && find(library, "gss_unwrap", api.unwrap) &&
        find(library, "gss_display_status", api.display_status) &&
        find(library, "gss_release_buffer", api.release_buffer)) {
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

bool reply_error(const Gssapi& api, uint32_t major, uint32_t minor) {
  constexpr int kMajorCode = 1;
  constexpr int kMinorCode = 2;
  const uint32_t routine = major >> 16 & 0xFFU;
  // The mechanism's own text says it all; without one the general text must do.
  Message message;
  if (minor != 0) {
    message.add(api, minor, kMinorCode, &kKerberos);
  }
  if (message.size() == 0) {
    message.add(api, major, kMajorCode, nullptr);
  }
  // "Ticket expired" (KRB5KRB_AP_ERR_TKT_EXPIRED) and "no credentials cache" come as a mere failure
  // of some library versions.
  constexpr uint32_t kTicketExpired = 0x96C73A20;
  constexpr uint32_t kNoCache = 0x96C73AC3;
  const bool no_ticket = routine == kNoCredential || routine == kCredentialExpired ||
                         minor == kTicketExpired || minor == kNoCache;
  return reply(no_ticket ? Verdict::NoTicket : Verdict::Failed, message.text(), message.size());
}

/// One dialogue, and the messages of its connection.
class Dialogue {
 public:
  explicit Dialogue(const Gssapi& api) : api_(api) {}

  bool open(char* service) {
    uint32_t minor = 0;
    const Buffer name{.length = strlen(service), .value = service};
    const uint32_t major = api_.import_name(&minor, &name, &kHostService, &peer_);
    return major == 0 || (reply_error(api_, major, minor), false);
  }

  bool step(const Buffer& token) {
    uint32_t minor = 0;
    Buffer out{};
    const uint32_t major = api_.init_sec_context(
        &minor, nullptr, &context_, peer_, &kKerberos,
        kMutual | kReplay | kSequence | kConfidential | kIntegrity, 0, nullptr,
        token.length == 0 ? nullptr : &token, nullptr, &out, nullptr, nullptr);
    if (major != 0 && major != kContinue) {
      return reply_error(api_, major, minor);
    }
    return answer(major == 0 ? Verdict::Complete : Verdict::More, out);
  }

  bool wrap(const Buffer& plain, bool confidential) {
    if (context_ == nullptr) {
      return reply_text(Verdict::Failed, "cannot wrap before the exchange is complete");
    }
    uint32_t minor = 0;
    int was_confidential = 0;
    Buffer out{};
    const uint32_t major =
        api_.wrap(&minor, context_, confidential ? 1 : 0, 0, &plain, &was_confidential, &out);
    if (major != 0) {
      return reply_error(api_, major, minor);
    }
    if (confidential && was_confidential == 0) {
      return reply_text(Verdict::Failed, "the Kerberos library cannot encrypt with this ticket");
    }
    return answer(Verdict::Done, out);
  }

  bool unwrap(const Buffer& token, bool confidential) {
    if (context_ == nullptr) {
      return reply_text(Verdict::Failed, "cannot unwrap before the exchange is complete");
    }
    uint32_t minor = 0;
    int was_confidential = 0;
    Buffer out{};
    const uint32_t major = api_.unwrap(&minor, context_, &token, &out, &was_confidential, nullptr);
    if (major != 0) {
      // Codes below the routine's are hints: a repeated, old or lost message.
      return reply_error(api_, major, minor);
    }
    if (confidential && was_confidential == 0) {
      return reply_text(Verdict::Failed, "the server sent an unencrypted message");
    }
    return answer(Verdict::Done, out);
  }

 private:
  bool answer(Verdict verdict, Buffer& out) {
    uint32_t minor = 0;
    const bool sent = reply(verdict, out.value, out.length);
    api_.release_buffer(&minor, &out);
    return sent;
  }

  const Gssapi& api_;
  Handle peer_ = nullptr;
  Handle context_ = nullptr;
};

bool serve(Dialogue& dialogue, uint8_t operation, const Buffer& payload) {
  switch (operation) {
    case 's':
      return dialogue.step(payload);
    case 'w':
      return dialogue.wrap(payload, false);
    case 'W':
      return dialogue.wrap(payload, true);
    case 'u':
      return dialogue.unwrap(payload, false);
    case 'U':
      return dialogue.unwrap(payload, true);
    default:
      return reply_text(Verdict::Failed, "muster-krb5 and muster have different versions");
  }
}

bool serve_all(Dialogue& dialogue) {
  for (;;) {
    uint8_t head[5];
    if (!read_all(head, sizeof head)) {
      return true;
    }
    const uint32_t length = static_cast<uint32_t>(head[0]) << 24 |
                            static_cast<uint32_t>(head[1]) << 16 |
                            static_cast<uint32_t>(head[2]) << 8 | head[3];
    if (length == 0 || length > kRequestBytesMax) {
      return false;
    }
    const size_t size = length - 1;
    void* bytes = malloc(size + 1);
    if (bytes == nullptr || !read_all(bytes, size)) {
      return false;
    }
    const bool served = serve(dialogue, head[4], {.length = size, .value = bytes});
    free(bytes);
    if (!served) {
      return false;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    reply_text(Verdict::Failed, "muster-krb5 is started by muster: muster-krb5 SERVICE@HOST");
    return 2;
  }
  Gssapi api{};
  if (!load(api)) {
    reply_text(Verdict::NoLibrary,
               "this host has no Kerberos library (libgssapi_krb5.so.2): install its package, "
               "libgssapi-krb5-2 or krb5-libs");
    return 1;
  }
  Dialogue dialogue(api);
  return dialogue.open(argv[1]) && serve_all(dialogue) ? 0 : 1;
}
