#include "hadoop/krb5/acceptor.h"

#include "base/text.h"

#include <cstdint>
#include <memory>
#include <utility>

namespace muster::hadoop::krb5 {
namespace {

constexpr size_t kSecondsBytes = 4;  ///< Before the name in the helper's reply.

Result<AcceptedPeer> peer_in(std::string_view named, std::string answer) {
  if (named.size() <= kSecondsBytes) {
    return bug("muster-krb5 names nobody");
  }
  uint32_t seconds = 0;
  for (const char c : named.substr(0, kSecondsBytes)) {
    seconds = seconds << 8 | static_cast<uint8_t>(c);
  }
  return AcceptedPeer{.user = std::string(named.substr(kSecondsBytes)),
                      .answer = std::move(answer),
                      .valid = std::chrono::seconds(seconds)};
}

}  // namespace

/// One slot among those that are judged at the same time.
class Acceptor::Place {
 public:
  explicit Place(Acceptor& acceptor) : acceptor_(acceptor) { ++acceptor_.judging_; }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() {
    --acceptor_.judging_;
    acceptor_.freed_.pulse();
  }

 private:
  Acceptor& acceptor_;
};

Result<std::unique_ptr<KerberosProcess>> Acceptor::start() const {
  return KerberosProcess::start(loop_, options_, {"--accept", service_});
}

rt::Async<Status> Acceptor::check() {
  auto work = ask_for_keys();
  co_return co_await rt::with_deadline(loop_, loop_.now() + kPatience, "muster-krb5",
                                       std::move(work));
}

rt::Async<Status> Acceptor::ask_for_keys() {
  MUSTER_CO_TRY(const auto helper, start());
  const Result<KerberosReply> keys = co_await helper->ask(Operation::FindKeys, "");
  co_return keys ? Status() : Status(keys.error());
}

rt::Async<Result<AcceptedPeer>> Acceptor::accept(std::string token) {
  while (judging_ >= kAtOnceMax) {
    co_await freed_.wait();
  }
  const Place place(*this);
  auto work = judge(std::move(token));
  co_return co_await rt::with_deadline(loop_, loop_.now() + kPatience, "muster-krb5",
                                       std::move(work));
}

rt::Async<Result<AcceptedPeer>> Acceptor::judge(std::string token) {
  MUSTER_CO_TRY(const auto helper, start());
  MUSTER_CO_TRY(KerberosReply step, co_await helper->ask(Operation::Step, std::move(token)));
  if (!step.complete) {
    co_return user_error("the client's token is not a Kerberos token", Errc::Unauthenticated);
  }
  MUSTER_CO_TRY(const KerberosReply named, co_await helper->ask(Operation::NamePeer, ""));
  co_return peer_in(named.bytes, std::move(step.bytes));
}

}  // namespace muster::hadoop::krb5
