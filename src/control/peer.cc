#include "base/text.h"
#include "control/transport.h"

#include <fmt/format.h>

namespace muster::control {
namespace {

constexpr size_t kIdentityMax = 256;
constexpr std::string_view kAgentPrefix = "agent:";
constexpr std::string_view kMasterPrefix = "master:";
constexpr std::string_view kStreamPrefix = "stream:";

Error no_identity(std::string_view identity) {
  return Error{Errc::Unauthenticated, Blame::User,
               fmt::format("\"{}\" is not an identity of a party of a job",
                           printable(identity.substr(0, 64)))};
}

}  // namespace

std::string Peer::identity() const {
  switch (kind) {
    case Kind::Agent:
      return fmt::format("{}{}", kAgentPrefix, container.value);
    case Kind::Owner:
      return "owner";
    case Kind::Viewer:
      return "viewer";
    case Kind::Master:
      return fmt::format("{}{}", kMasterPrefix, container.value);
    case Kind::Stream:
      return fmt::format("{}{}:{}", kStreamPrefix, container.value, ticket);
  }
  return "";
}

Result<Peer> Peer::parse(std::string_view identity) {
  if (identity.size() > kIdentityMax) {
    return no_identity(identity);
  }
  if (identity == "owner") {
    return Peer{.kind = Kind::Owner, .container = {}};
  }
  if (identity == "viewer") {
    return Peer{.kind = Kind::Viewer, .container = {}};
  }
  for (const auto& [prefix, kind] :
       {std::pair(kAgentPrefix, Kind::Agent), std::pair(kMasterPrefix, Kind::Master)}) {
    if (identity.starts_with(prefix) && identity.size() > prefix.size()) {
      return Peer{.kind = kind,
                  .container = job::ContainerId(std::string(identity.substr(prefix.size())))};
    }
  }
  if (identity.starts_with(kStreamPrefix)) {
    const std::string_view rest = identity.substr(kStreamPrefix.size());
    const size_t colon = rest.rfind(':');
    if (colon != std::string_view::npos && colon > 0 && colon + 1 < rest.size()) {
      return Peer{.kind = Kind::Stream,
                  .container = job::ContainerId(std::string(rest.substr(0, colon))),
                  .ticket = std::string(rest.substr(colon + 1))};
    }
  }
  return no_identity(identity);
}

}  // namespace muster::control
