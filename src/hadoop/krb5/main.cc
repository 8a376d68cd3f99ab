// muster-krb5 SERVICE@HOST: one Kerberos dialogue with a server, through the host's own GSSAPI, for
// a muster that is static and cannot load it. muster-krb5 --accept SERVICE: the server's side of
// one, with the keys of that service in the keytab that KRB5_KTNAME names. Reads requests from
// standard input and writes replies to standard output until its input ends; README.md describes
// the form of both.
//
// Built apart from everything else (cmake/krb5.cmake): against symbols that every C library since
// glibc 2.17 has, without the C++ library, without headers that refer to newer ones.

#include "hadoop/krb5/host_gssapi.h"

namespace muster::hadoop::krb5::helper {
namespace {

/// One dialogue and the messages of its connection.
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

/// The server's side of one dialogue. Only Kerberos counts, by itself or inside SPNEGO (RFC 4178),
/// whatever else this host's library knows.
class Acceptance {
 public:
  Acceptance(const Gssapi& api, const GssapiOfServers& servers) : api_(api), servers_(servers) {}

  /// Takes the keys of the service for any host: browsers may know this one by several names.
  bool open(char* service) {
    uint32_t minor = 0;
    const Buffer name{.length = strlen(service), .value = service};
    Handle own = nullptr;
    uint32_t major = api_.import_name(&minor, &name, &kHostService, &own);
    if (major == 0) {
      constexpr int kToAccept = 2;
      const Oid mechanisms[] = {kKerberos, kSpnego};
      const OidSet wanted{.count = 2, .elements = mechanisms};
      major = servers_.acquire_cred(&minor, own, 0, &wanted, kToAccept, &keys_, nullptr, nullptr);
    }
    return major == 0 || (fail(major, minor), false);
  }

  bool step(const Buffer& token) {
    uint32_t minor = 0;
    Buffer out{};
    Oid* mechanism = nullptr;
    const uint32_t major =
        servers_.accept_sec_context(&minor, &context_, keys_, &token, nullptr, &peer_, &mechanism,
                                    &out, nullptr, &seconds_, nullptr);
    if (major != 0 && major != kContinue) {
      return fail(major, minor);
    }
    complete_ = major == 0 && is_kerberos(mechanism);
    const bool sent = reply(complete_ ? Verdict::Complete : Verdict::More, out.value, out.length);
    api_.release_buffer(&minor, &out);
    return sent;
  }

  /// Replies with the user's name on this host and for how many seconds it holds: four bytes, then
  /// the name.
  bool name() {
    if (!complete_) {
      return reply_text(Verdict::Failed, "the exchange is not complete");
    }
    uint32_t minor = 0;
    Buffer local{};
    const uint32_t major = servers_.localname(&minor, peer_, nullptr, &local);
    if (major != 0) {
      return fail(major, minor);
    }
    uint8_t text[260];
    const bool fits = local.length > 0 && local.length <= sizeof text - 4;
    for (int i = 0; i < 4; ++i) {
      text[i] = static_cast<uint8_t>(seconds_ >> (24 - 8 * i));
    }
    for (size_t i = 0; fits && i < local.length; ++i) {
      text[4 + i] = static_cast<const uint8_t*>(local.value)[i];
    }
    const bool sent = fits ? reply(Verdict::Done, text, 4 + local.length)
                           : reply_text(Verdict::Failed, "the user's name is too long");
    api_.release_buffer(&minor, &local);
    return sent;
  }

  /// Replies that there are keys.
  static bool ready() { return reply(Verdict::Done, nullptr, 0); }

 private:
  /// NTLM and the like prove less, or nothing this host can check.
  static bool is_kerberos(const Oid* mechanism) {
    if (mechanism == nullptr || mechanism->length != kKerberos.length) {
      return false;
    }
    for (size_t i = 0; i < sizeof kKerberosBytes; ++i) {
      if (static_cast<const uint8_t*>(mechanism->elements)[i] != kKerberosBytes[i]) {
        return false;
      }
    }
    return true;
  }

  bool fail(uint32_t major, uint32_t minor) {
    const Message message = message_of(api_, major, minor);
    return reply(Verdict::Failed, message.text(), message.size());
  }

  const Gssapi& api_;
  const GssapiOfServers& servers_;
  Handle keys_ = nullptr;
  Handle context_ = nullptr;
  Handle peer_ = nullptr;
  uint32_t seconds_ = 0;
  bool complete_ = false;
};

bool other_version() {
  return reply_text(Verdict::Failed, "muster-krb5 and muster have different versions");
}

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
      return other_version();
  }
}

bool serve(Acceptance& acceptance, uint8_t operation, const Buffer& payload) {
  switch (operation) {
    case 'k':
      return Acceptance::ready();
    case 's':
      return acceptance.step(payload);
    case 'n':
      return acceptance.name();
    default:
      return other_version();
  }
}

template <class Side>
bool serve_all(Side& side) {
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
    const bool served = serve(side, head[4], {.length = size, .value = bytes});
    free(bytes);
    if (!served) {
      return false;
    }
  }
}

bool is_accept(const char* word) {
  constexpr char kWord[] = "--accept";
  for (size_t i = 0; i < sizeof kWord; ++i) {
    if (word[i] != kWord[i]) {
      return false;
    }
  }
  return true;
}

int run(int argc, char** argv) {
  const bool accepts = argc == 3 && is_accept(argv[1]);
  if (argc != 2 && !accepts) {
    reply_text(Verdict::Failed, "muster-krb5 is started by muster: muster-krb5 SERVICE@HOST");
    return 2;
  }
  Gssapi api{};
  GssapiOfServers servers{};
  if (!load(api, accepts ? &servers : nullptr)) {
    reply_text(Verdict::NoLibrary,
               "this host has no Kerberos library (libgssapi_krb5.so.2): install its package, "
               "libgssapi-krb5-2 or krb5-libs");
    return 1;
  }
  if (accepts) {
    Acceptance acceptance(api, servers);
    return acceptance.open(argv[2]) && serve_all(acceptance) ? 0 : 1;
  }
  Dialogue dialogue(api);
  return dialogue.open(argv[1]) && serve_all(dialogue) ? 0 : 1;
}

}  // namespace
}  // namespace muster::hadoop::krb5::helper

int main(int argc, char** argv) { return muster::hadoop::krb5::helper::run(argc, argv); }
