#include "net/certificates.h"

#include "base/check.h"
#include "base/text.h"
#include "net/tls.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <span>
#include <system_error>
#include <utility>

namespace muster::net {
namespace {

constexpr size_t kTlsPieceBytes = size_t{16} << 10;
/// How much a handshake reads at a time: clients say little in it, and there may be many of them.
constexpr size_t kTlsHandshakeBytes = size_t{1} << 10;

/// Frees what the library allocated.
struct Freed {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};

/// Returns the library's last error, for people.
std::string tls_reason() {
  const unsigned long code = ERR_peek_last_error();
  const char* const text = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  return text == nullptr ? "the connection ended" : text;
}

Error tls_failed(std::string message) {
  return {Errc::Unavailable, Blame::Cluster, std::move(message)};
}

/// One TLS connection over a stream. The library reads and writes memory; what it has written is
/// sent by one caller at a time, whoever comes first.
class CertificateStream final : public Stream {
 public:
  CertificateStream(SSL_CTX* context, std::unique_ptr<Stream> under)
      : under_(std::move(under)), ssl_(SSL_new(context)) {
    BIO* const in = BIO_new(BIO_s_mem());
    BIO* const out = BIO_new(BIO_s_mem());
    MUSTER_CHECK(ssl_ != nullptr && in != nullptr && out != nullptr,
                 "the TLS library is out of memory");
    BIO_set_mem_eof_return(in, -1);
    SSL_set_bio(ssl_.get(), in, out);
  }

  [[nodiscard]] SSL* ssl() { return ssl_.get(); }

  rt::Async<Status> handshake() {
    while (true) {
      ERR_clear_error();
      const int done = SSL_do_handshake(ssl_.get());
      const int error = SSL_get_error(ssl_.get(), done);
      const std::string why = done == 1 || error == SSL_ERROR_WANT_READ ? "" : problem();
      auto sent = co_await flush();
      if (!why.empty()) {
        co_return tls_failed(fmt::format("TLS with {} failed: {}", under_->peer(), why));
      }
      MUSTER_CO_TRY_STATUS(std::move(sent));
      if (done == 1) {
        co_return Status();
      }
      auto fed = co_await feed<kTlsHandshakeBytes>();
      MUSTER_CO_TRY(const bool more, std::move(fed));
      if (!more) {
        co_return tls_failed(
            fmt::format("TLS with {} failed: the connection ended", under_->peer()));
      }
    }
  }

  rt::Async<Result<size_t>> read_some(std::span<uint8_t> buffer) override {
    while (true) {
      ERR_clear_error();
      size_t got = 0;
      const int done = SSL_read_ex(ssl_.get(), buffer.data(), buffer.size(), &got);
      if (done == 1) {
        co_return got;
      }
      const int error = SSL_get_error(ssl_.get(), done);
      if (error == SSL_ERROR_ZERO_RETURN) {
        co_return size_t{0};
      }
      if (error != SSL_ERROR_WANT_READ) {
        co_return tls_failed(fmt::format("TLS with {} broke: {}", under_->peer(), tls_reason()));
      }
      auto sent = co_await flush();
      MUSTER_CO_TRY_STATUS(std::move(sent));
      auto fed = co_await feed<kTlsPieceBytes>();
      MUSTER_CO_TRY(const bool more, std::move(fed));
      if (!more) {
        co_return tls_failed(fmt::format("the connection to {} was cut", under_->peer()));
      }
    }
  }

  rt::Async<Status> write_parts(std::span<const std::span<const uint8_t>> parts) override {
    for (const std::span<const uint8_t>& part : parts) {
      for (size_t at = 0; at < part.size(); at += kTlsPieceBytes) {
        const auto piece = part.subspan(at, std::min(kTlsPieceBytes, part.size() - at));
        ERR_clear_error();
        size_t put = 0;
        if (SSL_write_ex(ssl_.get(), piece.data(), piece.size(), &put) != 1) {
          co_return tls_failed(fmt::format("TLS with {} broke: {}", under_->peer(), tls_reason()));
        }
        auto sent = co_await flush();
        MUSTER_CO_TRY_STATUS(std::move(sent));
      }
    }
    co_return Status();
  }

  /// The goodbye goes out with the next write or read; if there is none, the end of the TCP stream
  /// does.
  void close_write() override {
    SSL_shutdown(ssl_.get());
    ERR_clear_error();
    under_->close_write();
  }
  [[nodiscard]] const std::string& peer() const override { return under_->peer(); }

 private:
  /// Returns why the handshake failed: the certificate's problem says more than the library.
  std::string problem() {
    const long verified = SSL_get_verify_result(ssl_.get());
    const std::string words = tls_reason();
    return verified == X509_V_OK ? words : X509_verify_cert_error_string(verified);
  }

  /// Sends what the library wants to send, unless somebody is already doing so.
  rt::Async<Status> flush() {
    if (flushing_) {
      co_return Status();
    }
    const Flag flag(flushing_);
    std::array<uint8_t, kTlsPieceBytes> bytes;
    while (BIO_ctrl_pending(SSL_get_wbio(ssl_.get())) > 0) {
      const int size = BIO_read(SSL_get_wbio(ssl_.get()), bytes.data(), bytes.size());
      if (size <= 0) {
        break;
      }
      auto written = co_await under_->write(std::span(bytes).first(static_cast<size_t>(size)));
      MUSTER_CO_TRY_STATUS(std::move(written));
    }
    co_return Status();
  }

  /// Gives the library what has arrived; false at the end.
  template <size_t bytes_max>
  rt::Async<Result<bool>> feed() {
    std::array<uint8_t, bytes_max> bytes;
    auto read = co_await under_->read_some(bytes);
    MUSTER_CO_TRY(const size_t size, std::move(read));
    if (size > 0) {
      BIO_write(SSL_get_rbio(ssl_.get()), bytes.data(), static_cast<int>(size));
    }
    co_return size > 0;
  }

  struct Flag {
    explicit Flag(bool& on) : flag(on) { flag = true; }
    Flag(Flag&&) = delete;
    ~Flag() { flag = false; }
    bool& flag;
  };

  std::unique_ptr<Stream> under_;
  std::unique_ptr<SSL, Freed> ssl_;
  bool flushing_ = false;
};

rt::Async<Result<std::unique_ptr<Stream>>> shaken(std::unique_ptr<CertificateStream> stream) {
  auto shook = co_await stream->handshake();
  MUSTER_CO_TRY_STATUS(std::move(shook));
  co_return std::unique_ptr<Stream>(std::move(stream));
}

}  // namespace

struct CertificateTls::Impl {
  std::unique_ptr<SSL_CTX, Freed> context;

  explicit Impl(const SSL_METHOD* method) {
    prepare_crypto();
    context.reset(SSL_CTX_new(method));
    MUSTER_CHECK(context != nullptr, "cannot initialise the TLS library");
    SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  }
};

CertificateTls::CertificateTls(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CertificateTls::CertificateTls(CertificateTls&&) noexcept = default;
CertificateTls& CertificateTls::operator=(CertificateTls&&) noexcept = default;
CertificateTls::~CertificateTls() = default;

Result<CertificateTls> CertificateTls::client(const std::filesystem::path& bundle) {
  auto impl = std::make_unique<Impl>(TLS_client_method());
  SSL_CTX* const context = impl->context.get();
  if (SSL_CTX_load_verify_locations(context, bundle.c_str(), nullptr) != 1) {
    return user_error(fmt::format("cannot read certificates of authorities from {}: {}",
                                  bundle.string(), tls_reason()));
  }
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  return CertificateTls(std::move(impl));
}

Result<CertificateTls> CertificateTls::server(const std::filesystem::path& chain,
                                              const std::filesystem::path& key) {
  auto impl = std::make_unique<Impl>(TLS_server_method());
  SSL_CTX* const context = impl->context.get();
  if (SSL_CTX_use_certificate_chain_file(context, chain.c_str()) != 1) {
    return user_error(fmt::format("cannot read a certificate in PEM form from {}: {}",
                                  chain.string(), tls_reason()));
  }
  if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return user_error(fmt::format("cannot read the certificate's key in PEM form from {}: {}",
                                  key.string(), tls_reason()));
  }
  if (SSL_CTX_check_private_key(context) != 1) {
    ERR_clear_error();
    return user_error(fmt::format("the key in {} is not that of the certificate in {}",
                                  key.string(), chain.string()));
  }
  return CertificateTls(std::move(impl));
}

rt::Async<Result<std::unique_ptr<Stream>>> CertificateTls::connect(std::unique_ptr<Stream> under,
                                                                   std::string host) const {
  auto stream = std::make_unique<CertificateStream>(impl_->context.get(), std::move(under));
  SSL* const ssl = stream->ssl();
  SSL_set_connect_state(ssl);
  if (parse_literal(host, 1)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str());
  } else {
    SSL_set_tlsext_host_name(ssl, host.c_str());
    SSL_set1_host(ssl, host.c_str());
  }
  co_return co_await shaken(std::move(stream));
}

rt::Async<Result<std::unique_ptr<Stream>>> CertificateTls::accept(
    std::unique_ptr<Stream> under) const {
  auto stream = std::make_unique<CertificateStream>(impl_->context.get(), std::move(under));
  SSL_set_accept_state(stream->ssl());
  co_return co_await shaken(std::move(stream));
}

Result<std::filesystem::path> trusted_authorities(const std::string& named) {
  if (!named.empty()) {
    return std::filesystem::path(named);
  }
  constexpr std::array kPlaces = {"/etc/ssl/certs/ca-certificates.crt",
                                  "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
                                  "/etc/ssl/cert.pem"};
  for (const char* const place : kPlaces) {
    std::error_code ignored;
    if (std::filesystem::exists(place, ignored)) {
      return std::filesystem::path(place);
    }
  }
  return Error{Errc::NotFound, Blame::User,
               "this host has no list of certificate authorities; install ca-certificates, or set "
               "SSL_CERT_FILE to a file with them"};
}

rt::Async<Result<std::unique_ptr<Stream>>> TlsDialer::dial(HostPort server) {
  auto dialed = co_await under_->dial(server);
  MUSTER_CO_TRY(auto stream, std::move(dialed));
  co_return co_await tls_->connect(std::move(stream), std::move(server.host));
}

}  // namespace muster::net
