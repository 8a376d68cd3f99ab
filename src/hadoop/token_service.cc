#include "hadoop/token_service.h"

#include "base/ascii.h"
#include "base/text.h"

#include <algorithm>
#include <vector>

namespace muster::hadoop {
namespace {

const Token* find(const Credentials& credentials, std::string_view kind, std::string_view service) {
  const auto found = std::ranges::find_if(credentials.tokens(), [&](const NamedToken& named) {
    return named.token.kind == kind && named.token.service == service;
  });
  return found == credentials.tokens().end() ? nullptr : &found->token;
}

}  // namespace

std::string token_service(const ServerAddress& server, bool by_ip) {
  return by_ip ? server.peer : ascii_lower(net::to_string(server.configured));
}

std::string logical_token_service(std::string_view name_service) {
  return "ha-hdfs:" + std::string(name_service);
}

const Token* find_hdfs_token(const Credentials& credentials, const NameService& service,
                             const ServerAddress& server) {
  if (service.logical) {
    const std::string logical = logical_token_service(service.name);
    if (const Token* token = find(credentials, token_kind::kHdfs, logical); token != nullptr) {
      return token;
    }
  }
  for (const bool by_ip : {true, false}) {
    const std::string name = token_service(server, by_ip);
    if (const Token* token = find(credentials, token_kind::kHdfs, name); token != nullptr) {
      return token;
    }
  }
  return nullptr;
}

const Token* find_service_token(const Credentials& credentials, std::string_view kind,
                                const ServerAddress& server) {
  for (const bool by_ip : {true, false}) {
    const std::string name = token_service(server, by_ip);
    const auto has = [&](const NamedToken& named) {
      return named.token.kind == kind &&
             std::ranges::any_of(split(named.token.service, ','),
                                 [&](std::string_view part) { return trim(part) == name; });
    };
    const auto found = std::ranges::find_if(credentials.tokens(), has);
    if (found != credentials.tokens().end()) {
      return &found->token;
    }
  }
  return nullptr;
}

const Token* find_am_rm_token(const Credentials& credentials) {
  const Token* last = nullptr;
  for (const NamedToken& named : credentials.tokens()) {
    if (named.token.kind == token_kind::kAmRm) {
      last = &named.token;
    }
  }
  return last;
}

}  // namespace muster::hadoop
