#include "net/web_client.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace muster::net {

Result<WebAddress> parse_web_address(std::string_view address) {
  constexpr std::string_view kPlain = "http://";
  constexpr std::string_view kTls = "https://";
  WebAddress parts{.tls = address.starts_with(kTls), .server = {}, .host = {}, .target = {}};
  if (!parts.tls && !address.starts_with(kPlain)) {
    return user_error("the address must begin with http:// or https://");
  }
  address.remove_prefix(parts.tls ? kTls.size() : kPlain.size());
  const size_t end = std::min(address.find_first_of("/?"), address.size());
  parts.host = address.substr(0, end);
  parts.target = address.substr(end);
  if (!parts.target.starts_with('/')) {
    parts.target.insert(0, "/");
  }
  const size_t colon = parts.host.rfind(':');
  const bool has_port = colon != std::string::npos && !parts.host.ends_with(']');
  MUSTER_TRY(parts.server,
             parse_host_port(has_port ? parts.host : parts.host + (parts.tls ? ":443" : ":80")));
  return parts;
}

Result<Dialer*> WebDialers::of(const WebAddress& address) {
  if (!address.tls) {
    return &plain_;
  }
  if (!with_tls_) {
    MUSTER_TRY(const std::filesystem::path bundle, trusted_authorities(authorities_));
    MUSTER_TRY(CertificateTls tls, CertificateTls::client(bundle));
    tls_.emplace(std::move(tls));
    with_tls_.emplace(plain_, *tls_);
  }
  return &*with_tls_;
}

}  // namespace muster::net
