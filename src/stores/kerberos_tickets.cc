#include "stores/kerberos_tickets.h"

#include "hadoop/krb5/acceptor.h"
#include "hadoop/krb5/exchanges.h"
#include "rt/run_to_end.h"

#include <utility>

namespace muster::stores {
namespace {

class Judge final : public page::Negotiator {
 public:
  Judge(rt::IoLoop& loop, hadoop::krb5::KerberosOptions options)
      : acceptor_(loop, std::move(options), "HTTP") {}

  rt::Async<Status> check() { return acceptor_.check(); }

  rt::Async<Result<page::Negotiated>> negotiate(std::string token) override {
    MUSTER_CO_TRY(hadoop::krb5::AcceptedPeer peer, co_await acceptor_.accept(std::move(token)));
    co_return page::Negotiated{
        .user = std::move(peer.user), .answer = std::move(peer.answer), .valid = peer.valid};
  }

 private:
  hadoop::krb5::Acceptor acceptor_;
};

}  // namespace

Result<std::unique_ptr<page::Negotiator>> KerberosTickets::judge(rt::IoLoop& loop,
                                                                 const std::string& keytab) {
  hadoop::krb5::KerberosOptions options{.program = hadoop::krb5::shipped_helper(),
                                        .environment = session_.process_environment()};
  options.environment["KRB5_KTNAME"] = "FILE:" + keytab;
  auto made = std::make_unique<Judge>(loop, std::move(options));
  if (const Status keys = rt::run_to_end(loop, made->check()); !keys) {
    return Error(keys.error()).within("--keytab " + keytab);
  }
  return std::unique_ptr<page::Negotiator>(std::move(made));
}

}  // namespace muster::stores
