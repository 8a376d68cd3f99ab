#pragma once

#include "client/portal/tickets.h"
#include "client/session.h"

#include <memory>
#include <string>

namespace muster::stores {

/// Kerberos tickets, judged by this host's library through muster-krb5.
class KerberosTickets final : public client::Tickets {
 public:
  /// `session` outlives this.
  explicit KerberosTickets(client::Session& session) : session_(session) {}

  Result<std::unique_ptr<page::Negotiator>> judge(rt::IoLoop& loop,
                                                  const std::string& keytab) override;

 private:
  client::Session& session_;
};

}  // namespace muster::stores
