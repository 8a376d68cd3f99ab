#pragma once

#include "base/result.h"
#include "net/stream.h"
#include "rt/async.h"

#include <filesystem>
#include <memory>
#include <string>

namespace muster::net {

/// TLS 1.2 and 1.3 with certificates, as on the web: for other people's servers (as a client that
/// checks them) and for people's browsers (as a server with the site's certificate). Muster's own
/// connections use pre-shared keys instead (tls.h).
class CertificateTls {
 public:
  /// Trusts the authorities in `bundle` (PEM). The error names the file.
  [[nodiscard]] static Result<CertificateTls> client(const std::filesystem::path& bundle);
  /// Presents the certificates of `chain` (PEM, the server's own first) and proves them by `key`
  /// (PEM). The error names the file, or says that they do not belong together.
  [[nodiscard]] static Result<CertificateTls> server(const std::filesystem::path& chain,
                                                     const std::filesystem::path& key);

  CertificateTls(CertificateTls&&) noexcept;
  CertificateTls& operator=(CertificateTls&&) noexcept;
  ~CertificateTls();

  /// Speaks TLS over `under`, which is connected to the host of that name or address; the handshake
  /// is done when this returns. Unavailable, with the reason, if it fails: the certificate has
  /// expired, is for another host, or comes from an authority that is not trusted.
  [[nodiscard]] rt::Async<Result<std::unique_ptr<Stream>>> connect(std::unique_ptr<Stream> under,
                                                                   std::string host) const;
  /// The same for the accepting side.
  [[nodiscard]] rt::Async<Result<std::unique_ptr<Stream>>> accept(
      std::unique_ptr<Stream> under) const;

  struct Impl;

 private:
  explicit CertificateTls(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Returns where this host keeps the authorities that it trusts: `named` (the variable
/// SSL_CERT_FILE) unless that is empty, else the first of the usual places that exists. NotFound if
/// none does.
[[nodiscard]] Result<std::filesystem::path> trusted_authorities(const std::string& named);

/// Dials over another dialer and speaks TLS as a client. `under` and the TLS settings must outlive
/// it and its streams.
class TlsDialer final : public Dialer {
 public:
  TlsDialer(Dialer& under, const CertificateTls& tls) : under_(&under), tls_(&tls) {}
  [[nodiscard]] rt::Async<Result<std::unique_ptr<Stream>>> dial(HostPort server) override;

 private:
  Dialer* under_;
  const CertificateTls* tls_;
};

}  // namespace muster::net
