#include "hadoop/krb5/advice.h"

namespace muster::hadoop::krb5 {
namespace {

struct Advice {
  std::string_view part;  ///< A part of the library's text.
  std::string_view what;
};

constexpr Advice kAdvices[] = {
    {.part = "not found in Kerberos database",
     .what = "the KDC does not know the service under this host or realm: check the service's "
             "principal in the configuration and [domain_realm] in krb5.conf"},
    {.part = "Cannot contact any KDC",
     .what = "no KDC answers: check [realms] in krb5.conf and the network"},
    {.part = "Cannot find KDC",
     .what = "the realm has no KDC: check default_realm, [domain_realm] and [realms] in krb5.conf"},
    {.part = "Cannot resolve network address for KDC",
     .what = "check [realms] in krb5.conf and DNS"},
    {.part = "Cannot determine realm",
     .what = "add the host to [domain_realm] in krb5.conf, or set default_realm"},
    {.part = "default realm", .what = "set default_realm in krb5.conf (KRB5_CONFIG)"},
    {.part = "configuration file", .what = "check krb5.conf (KRB5_CONFIG)"},
    {.part = "Clock skew too great", .what = "synchronize this machine's clock with NTP"},
    {.part = "Ticket not yet valid", .what = "synchronize this machine's clock with NTP"},
    {.part = "no support for encryption type",
     .what = "the realm and this machine's krb5.conf have no encryption type in common"},
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
