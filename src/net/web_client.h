#pragma once

#include "base/result.h"
#include "net/address.h"
#include "net/certificates.h"
#include "net/http_client.h"
#include "net/stream.h"
#include "net/tcp_dialer.h"
#include "rt/io_loop.h"

#include <optional>
#include <string>
#include <string_view>

namespace muster::net {

/// The parts of "https://host:port/path?query".
struct WebAddress {
  bool tls = false;
  HostPort server;
  std::string host;    ///< As the address has it, for the header Host.
  std::string target;  ///< "/path?query".
};

/// Parses an address that begins with http:// or https://. Errors (the user's) say what is wrong,
/// and quote nothing after the host, which may be a secret.
[[nodiscard]] Result<WebAddress> parse_web_address(std::string_view address);

/// Opens connections to web servers, over TLS with the certificates of authorities that this host
/// trusts.
class WebDialers {
 public:
  /// `authorities`: the file to trust instead of the host's own list; "" for none.
  WebDialers(rt::IoLoop& loop, std::string authorities)
      : authorities_(std::move(authorities)), plain_(loop) {}
  WebDialers(const WebDialers&) = delete;
  WebDialers& operator=(const WebDialers&) = delete;

  /// Returns the dialer for that address; it lives as long as this object. Fails if there is no
  /// list of authorities.
  [[nodiscard]] Result<Dialer*> of(const WebAddress& address);

 private:
  std::string authorities_;
  TcpDialer plain_;
  std::optional<CertificateTls> tls_;
  std::optional<TlsDialer> with_tls_;
};

}  // namespace muster::net
