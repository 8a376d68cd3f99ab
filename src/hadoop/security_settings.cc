#include "hadoop/security_settings.h"

#include <fmt/format.h>

#include <optional>

namespace muster::hadoop {
namespace {

std::optional<Protection> protection_of(std::string_view word) {
  for (const Protection protection :
       {Protection::Authentication, Protection::Integrity, Protection::Privacy}) {
    if (word == to_string(protection)) {
      return protection;
    }
  }
  return std::nullopt;
}

Result<std::vector<Protection>> protections(const Configuration& configuration,
                                            std::string_view name) {
  MUSTER_TRY(const std::vector<std::string> words, configuration.list(name));
  std::vector<Protection> out;
  for (const std::string& word : words) {
    const std::optional<Protection> protection = protection_of(word);
    if (!protection) {
      return configuration.wrong(name,
                                 "each part must be one of authentication, integrity and privacy");
    }
    out.push_back(*protection);
  }
  return out;
}

}  // namespace

Result<SecuritySettings> security_settings(const Configuration& configuration) {
  SecuritySettings settings;
  constexpr std::string_view kAuthentication = "hadoop.security.authentication";
  MUSTER_TRY(const std::string authentication, configuration.text(kAuthentication));
  if (authentication == "kerberos" || authentication == "KERBEROS") {
    settings.authentication = Authentication::Kerberos;
  } else if (authentication != "simple" && authentication != "SIMPLE" && !authentication.empty()) {
    return configuration.wrong(kAuthentication, "must be simple or kerberos");
  }
  constexpr std::string_view kRpcProtection = "hadoop.rpc.protection";
  MUSTER_TRY(settings.rpc_protection, protections(configuration, kRpcProtection));
  settings.rpc_protection_set =
      configuration.is_set(kRpcProtection) && !settings.rpc_protection.empty();
  if (settings.rpc_protection.empty()) {
    settings.rpc_protection = {Protection::Authentication};
  }
  MUSTER_TRY(settings.data_transfer_protection,
             protections(configuration, "dfs.data.transfer.protection"));
  MUSTER_TRY(settings.data_transfer_cipher_suite,
             configuration.text("dfs.encrypt.data.transfer.cipher.suites"));
  MUSTER_TRY(settings.fallback_to_simple,
             configuration.flag("ipc.client.fallback-to-simple-auth-allowed"));
  MUSTER_TRY(settings.token_service_by_ip,
             configuration.flag("hadoop.security.token.service.use_ip"));
  return settings;
}

std::string_view to_string(Authentication authentication) {
  switch (authentication) {
    case Authentication::Simple:
      return "simple";
    case Authentication::Kerberos:
      return "kerberos";
  }
  return "?";
}

std::string_view to_string(Protection protection) {
  switch (protection) {
    case Protection::Authentication:
      return "authentication";
    case Protection::Integrity:
      return "integrity";
    case Protection::Privacy:
      return "privacy";
  }
  return "?";
}

}  // namespace muster::hadoop
