#include "hadoop/krb5/advice.h"

namespace muster::hadoop::krb5 {
namespace {

struct Advice {
  std::string_view part;  ///< Of the library's text.
  std::string_view what;
};

constexpr Advice kAdvices[] = {
    {.part = "not found in Kerberos database",
     .what = "the service's host or realm is not as the key server knows it: look at the service's "
             "principal in the configuration and at [domain_realm] in krb5.conf"},
    {.part = "Cannot contact any KDC",
     .what = "no key server answers: look at [realms] in krb5.conf and at the network"},
    {.part = "Cannot find KDC",
     .what = "the realm has no key server: look at default_realm, [domain_realm] and [realms] in "
             "krb5.conf"},
    {.part = "Cannot resolve network address for KDC",
     .what = "look at [realms] in krb5.conf and at the name service"},
    {.part = "Cannot determine realm",
     .what = "add the host to [domain_realm] in krb5.conf, or set default_realm"},
    {.part = "default realm", .what = "set default_realm in krb5.conf (KRB5_CONFIG)"},
    {.part = "configuration file", .what = "look at krb5.conf (KRB5_CONFIG)"},
    {.part = "Clock skew too great", .what = "set the clock of this machine by NTP"},
    {.part = "Ticket not yet valid", .what = "set the clock of this machine by NTP"},
    {.part = "no support for encryption type",
     .what = "the realm's encryption types and those of this machine's krb5.conf have nothing in "
             "common"},
};

}  // namespace

std::string_view advice_for(std::string_view text) {
  for (const Advice& advice : kAdvices) {
    if (text.contains(advice.part)) {
      return advice.what;
    }
  }
  return {};
}

}  // namespace muster::hadoop::krb5
