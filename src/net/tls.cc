#include "net/tls.h"

#include "base/check.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <cerrno>
#include <sys/socket.h>
#include <utility>

namespace muster::net {
namespace {

/// Frees what the library allocated.
struct Free {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* ssl) const { SSL_free(ssl); }
  void operator()(SSL_SESSION* session) const { SSL_SESSION_free(session); }
  void operator()(BIO_METHOD* method) const { BIO_meth_free(method); }
};

// ---- a socket as the library sees it: like its own, but a broken connection is an error, not a
// signal --------------

struct Line {
  rt::Fd socket;
  bool more = false;  ///< Another write follows the current one.
};

Line& line_of(BIO* bio) { return *static_cast<Line*>(BIO_get_data(bio)); }

int bio_result(BIO* bio, ssize_t done, int retry) {
  BIO_clear_retry_flags(bio);
  if (done < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
    BIO_set_flags(bio, retry | BIO_FLAGS_SHOULD_RETRY);
  }
  return static_cast<int>(done);
}

int bio_read(BIO* bio, char* bytes, int size) {
  const ssize_t got = ::recv(line_of(bio).socket.get(), bytes, static_cast<size_t>(size), 0);
  return bio_result(bio, got, BIO_FLAGS_READ);
}

int bio_write(BIO* bio, const char* bytes, int size) {
  Line& line = line_of(bio);
  const int flags = MSG_NOSIGNAL | (line.more ? MSG_MORE : 0);
  const ssize_t sent = ::send(line.socket.get(), bytes, static_cast<size_t>(size), flags);
  return bio_result(bio, sent, BIO_FLAGS_WRITE);
}

long bio_control(BIO* /*bio*/, int command, long /*number*/, void* /*argument*/) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

int bio_create(BIO* bio) {
  BIO_set_init(bio, 1);
  return 1;
}

BIO_METHOD* make_bio_method() {
  BIO_METHOD* method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "socket");
  MUSTER_CHECK(method != nullptr, "the TLS library is out of memory");
  BIO_meth_set_read(method, bio_read);
  BIO_meth_set_write(method, bio_write);
  BIO_meth_set_ctrl(method, bio_control);
  BIO_meth_set_create(method, bio_create);
  return method;
}

/// Wraps a key as the session that the library resumes.
SSL_SESSION* make_session(SSL* ssl, const Psk& key) {
  static constexpr unsigned char kAes128GcmSha256[] = {0x13, 0x01};
  const SSL_CIPHER* cipher = SSL_CIPHER_find(ssl, kAes128GcmSha256);
  std::unique_ptr<SSL_SESSION, Free> session(SSL_SESSION_new());
  if (cipher == nullptr || session == nullptr ||
      SSL_SESSION_set1_master_key(session.get(), key.data(), key.size()) != 1 ||
      SSL_SESSION_set_cipher(session.get(), cipher) != 1 ||
      SSL_SESSION_set_protocol_version(session.get(), TLS1_3_VERSION) != 1) {
    return nullptr;
  }
  return session.release();
}

}  // namespace

void wipe(std::span<uint8_t> secret) { OPENSSL_cleanse(secret.data(), secret.size()); }

void prepare_crypto() {
  OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, nullptr);
}

struct TlsContext::Impl {
  std::unique_ptr<SSL_CTX, Free> context;
  std::unique_ptr<BIO_METHOD, Free> bio_method;
  std::string protocol;  ///< In the form of ALPN: preceded by its length.
};

struct TlsStream::Impl {
  std::shared_ptr<TlsContext::Impl> context;
  Line line;
  std::unique_ptr<SSL, Free> ssl;  // Freed before the socket closes.
  const TlsContext::Lookup* lookup = nullptr;
  std::string identity;
  Psk key{};             ///< The client's, until the handshake is done.
  bool unknown = false;  ///< No key belongs to the identity that the client claimed.
  TlsFailure failure = TlsFailure::None;

  ~Impl() { wipe(key); }
  static Impl& of(SSL* ssl) { return *static_cast<Impl*>(SSL_get_app_data(ssl)); }
  TlsProgress judge(int result);
  TlsFailure diagnose(int ssl_error) const;
};

namespace {

/// On the server: finds the key for the identity that the client offers.
int find_session(SSL* ssl, const unsigned char* identity, size_t size, SSL_SESSION** session) {
  TlsStream::Impl& stream = TlsStream::Impl::of(ssl);
  stream.identity.assign(reinterpret_cast<const char*>(identity), size);
  std::optional<Psk> key = (*stream.lookup)(stream.identity);
  stream.unknown = !key.has_value();
  if (stream.unknown) {
    // Use a key that nobody has: the client must not be able to tell an unknown name from a wrong
    // key.
    key.emplace();
    if (RAND_bytes(key->data(), static_cast<int>(key->size())) != 1) {
      return 0;
    }
  }
  *session = make_session(ssl, *key);
  wipe(*key);
  return *session == nullptr ? 0 : 1;
}

/// On the client: offers its own.
int use_session(SSL* ssl, const EVP_MD* /*digest*/, const unsigned char** identity, size_t* size,
                SSL_SESSION** session) {
  TlsStream::Impl& stream = TlsStream::Impl::of(ssl);
  *identity = reinterpret_cast<const unsigned char*>(stream.identity.data());
  *size = stream.identity.size();
  *session = make_session(ssl, stream.key);
  return *session == nullptr ? 0 : 1;
}

int select_protocol(SSL* ssl, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* offered, unsigned offered_size, void* /*argument*/) {
  const std::string& ours = TlsStream::Impl::of(ssl).context->protocol;
  unsigned char* chosen = nullptr;
  const int found =
      SSL_select_next_proto(&chosen, out_size, reinterpret_cast<const unsigned char*>(ours.data()),
                            static_cast<unsigned>(ours.size()), offered, offered_size);
  *out = chosen;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

}  // namespace

TlsContext::TlsContext(std::string protocol) : impl_(std::make_shared<Impl>()) {
  prepare_crypto();
  MUSTER_CHECK(!protocol.empty() && protocol.size() < 256, "a protocol must have a short name");
  impl_->protocol = static_cast<char>(protocol.size()) + std::move(protocol);
  impl_->bio_method.reset(make_bio_method());
  impl_->context.reset(SSL_CTX_new(TLS_method()));
  SSL_CTX* context = impl_->context.get();
  MUSTER_CHECK(context != nullptr, "cannot initialise the TLS library");
  SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
  SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256");
  SSL_CTX_set1_groups_list(context, "X25519");
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  // Buffers of 17 KiB in each direction live only while something is in them.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(context, 1);  // One system call for head and body of a record.
  SSL_CTX_set_psk_find_session_callback(context, find_session);
  SSL_CTX_set_psk_use_session_callback(context, use_session);
  SSL_CTX_set_alpn_select_cb(context, select_protocol, nullptr);
  const auto* protocols = reinterpret_cast<const unsigned char*>(impl_->protocol.data());
  SSL_CTX_set_alpn_protos(context, protocols, static_cast<unsigned>(impl_->protocol.size()));
}

TlsContext::~TlsContext() = default;

TlsStream::TlsStream(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {
  impl_->ssl.reset(SSL_new(impl_->context->context.get()));
  BIO* bio = BIO_new(impl_->context->bio_method.get());
  MUSTER_CHECK(impl_->ssl != nullptr && bio != nullptr, "the TLS library is out of memory");
  BIO_set_data(bio, &impl_->line);
  SSL_set_bio(impl_->ssl.get(), bio, bio);
  SSL_set_app_data(impl_->ssl.get(), impl_.get());
}

TlsStream::TlsStream(TlsStream&&) noexcept = default;
TlsStream& TlsStream::operator=(TlsStream&&) noexcept = default;
TlsStream::~TlsStream() = default;

TlsStream TlsStream::server(TlsContext& context, rt::Fd socket, const TlsContext::Lookup& lookup) {
  auto impl = std::make_unique<Impl>();
  impl->context = context.impl_;
  impl->line.socket = std::move(socket);
  impl->lookup = &lookup;
  TlsStream stream(std::move(impl));
  SSL_set_accept_state(stream.impl_->ssl.get());
  return stream;
}

TlsStream TlsStream::client(TlsContext& context, rt::Fd socket, std::string identity,
                            const Psk& key) {
  auto impl = std::make_unique<Impl>();
  impl->context = context.impl_;
  impl->line.socket = std::move(socket);
  impl->identity = std::move(identity);
  impl->key = key;
  TlsStream stream(std::move(impl));
  SSL_set_connect_state(stream.impl_->ssl.get());
  // No certificate is trusted, so a server that does not accept the key is refused.
  SSL_set_verify(stream.impl_->ssl.get(), SSL_VERIFY_PEER, nullptr);
  return stream;
}

int TlsStream::fd() const { return impl_->line.socket.get(); }

TlsFailure TlsStream::failure() const { return impl_->failure; }

const std::string& TlsStream::identity() const { return impl_->identity; }

TlsProgress TlsStream::Impl::judge(int result) {
  const int error = SSL_get_error(ssl.get(), result);
  switch (error) {
    case SSL_ERROR_NONE:
      return TlsProgress::Done;
    case SSL_ERROR_WANT_READ:
      return TlsProgress::WantsRead;
    case SSL_ERROR_WANT_WRITE:
      return TlsProgress::WantsWrite;
    case SSL_ERROR_ZERO_RETURN:
      return TlsProgress::Ended;
    default:
      failure = diagnose(error);
      ERR_clear_error();
      return TlsProgress::Failed;
  }
}

TlsFailure TlsStream::Impl::diagnose(int ssl_error) const {
  if (unknown) {
    return TlsFailure::UnknownIdentity;
  }
  const unsigned long code = ERR_peek_error();
  const int reason = ERR_GET_REASON(code);
  if (ssl_error == SSL_ERROR_SYSCALL || code == 0 || reason == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
    return TlsFailure::Connection;
  }
  // The alert with which our server answers a bad proof, and the error that it sees itself.
  if (reason == SSL_R_BINDER_DOES_NOT_VERIFY || reason == SSL_R_SSLV3_ALERT_ILLEGAL_PARAMETER) {
    return TlsFailure::WrongKey;
  }
  return TlsFailure::Protocol;
}

TlsProgress TlsStream::handshake() {
  SSL* ssl = impl_->ssl.get();
  ERR_clear_error();
  const TlsProgress progress = impl_->judge(SSL_do_handshake(ssl));
  if (progress != TlsProgress::Done) {
    return progress;
  }
  wipe(impl_->key);
  impl_->lookup = nullptr;
  const unsigned char* protocol = nullptr;
  unsigned protocol_size = 0;
  SSL_get0_alpn_selected(ssl, &protocol, &protocol_size);
  if (SSL_session_reused(ssl) != 1 || protocol_size == 0) {
    impl_->failure = TlsFailure::Protocol;  // Whatever was agreed on, it was not our key.
    return TlsProgress::Failed;
  }
  return progress;
}

TlsProgress TlsStream::read(std::span<char> buffer, size_t& got) {
  ERR_clear_error();
  return impl_->judge(SSL_read_ex(impl_->ssl.get(), buffer.data(), buffer.size(), &got));
}

TlsProgress TlsStream::write(std::string_view bytes, size_t& put, bool more) {
  ERR_clear_error();
  impl_->line.more = more;
  const int result = SSL_write_ex(impl_->ssl.get(), bytes.data(), bytes.size(), &put);
  impl_->line.more = false;
  return impl_->judge(result);
}

void TlsStream::say_end() {
  ERR_clear_error();
  SSL_shutdown(impl_->ssl.get());
  ERR_clear_error();
}

}  // namespace muster::net
