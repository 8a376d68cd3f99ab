#pragma once

#include "os/file/files.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace muster::hadoop {

/// What Muster reads in krb5.conf's [libdefaults]; the Kerberos library reads the rest itself.
struct Krb5Conf {
  std::string default_realm;  ///< Empty: not set.
  std::string default_cache;  ///< "FILE:/tmp/krb5cc_%{uid}"; empty: not set.
};

/// Takes what one file says; existing values in `conf` stay, since the first value wins in
/// Kerberos.
void parse_krb5_conf(std::string_view text, Krb5Conf& conf);

/// Reads the files of $KRB5_CONFIG (several separated by colons), else /etc/krb5.conf, including
/// what they include. Missing and unreadable files are ignored.
[[nodiscard]] Krb5Conf load_krb5_conf(os::Files& files,
                                      const std::map<std::string, std::string>& environment);

}  // namespace muster::hadoop
