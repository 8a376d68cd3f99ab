#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/configuration.h"
#include "hadoop/security_settings.h"
#include "os/file/files.h"

#include <cstdint>
#include <optional>
#include <string>

namespace muster::hadoop {

/// The identity under which this process acts on the cluster.
struct Login {
  /// The user who acts: short name.
  std::string user;
  /// Who proves an identity on behalf of `user` (HADOOP_PROXY_USER); empty: `user` themselves.
  std::string real_user;
  /// With Kerberos and a readable ticket: whose it is, and when it ends.
  std::string principal;
  std::optional<WallTime> ticket_ends;
};

/// Where the Kerberos library keeps this process's tickets.
struct TicketPlace {
  enum class Kind : uint8_t {
    File,   ///< `path` can be read here.
    Other,  ///< KEYRING:, KCM:, ...: only the Kerberos library can look.
  };
  Kind kind = Kind::File;
  std::string path;
  std::string name;  ///< As Kerberos writes it: "FILE:/tmp/krb5cc_1000".
};

/// Finds the ticket cache: $KRB5CCNAME, else krb5.conf, else FILE:/tmp/krb5cc_UID. For a DIR:
/// cache, the primary one.
[[nodiscard]] TicketPlace find_ticket_place(os::Files& files, const Surroundings& surroundings,
                                            uint32_t uid);

struct LoginDeps {
  os::Files& files;
  uint32_t uid = 0;
  WallTime now{};
  /// What os::user_name returns.
  std::string system_user;
};

/// Finds out who this process is: with SIMPLE, HADOOP_USER_NAME, USER or the system's name; with
/// Kerberos, the principal of the ticket cache, by its short name. A missing or expired ticket is
/// an Unauthenticated error that says what to type. If tickets are not kept in files, the system's
/// name is used and `principal` stays empty.
[[nodiscard]] Result<Login> who_am_i(const Configuration& configuration,
                                     const SecuritySettings& security, const LoginDeps& deps);

}  // namespace muster::hadoop
