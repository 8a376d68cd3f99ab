#include "testing/hadoop/fake_service.h"

#include "rt/wait.h"

#include <fmt/format.h>
#include <google/protobuf/message_lite.h>

#include <chrono>
#include <optional>
#include <utility>

namespace muster::testing {
namespace {

namespace rpc = hadoop::rpc;

constexpr Duration kLatency = std::chrono::milliseconds(1);
constexpr Duration kRetryPause = std::chrono::milliseconds(100);
// For callers that name no deadline.
constexpr Duration kPatience = std::chrono::minutes(15);

rpc::Failure failure_of(const Served& served) {
  rpc::Failure failure(cluster_error(served.message, Errc::Other));
  failure.exception_class = served.exception_class;
  return failure;
}

class DirectProxy final : public rpc::Proxy {
 public:
  DirectProxy(rt::Loop& loop, FakeService& service, std::string user, rpc::TokenFinder find_token)
      : loop_(&loop),
        service_(&service),
        user_(std::move(user)),
        find_token_(std::move(find_token)) {}

  using rpc::Proxy::call;
  rt::Async<rpc::Outcome> call(rpc::Method method, const google::protobuf::MessageLite& request,
                               google::protobuf::MessageLite& reply,
                               rpc::CallOptions options) override {
    return talk(method, request.SerializeAsString(), &reply,
                options.deadline.value_or(loop_->now() + kPatience));
  }

 private:
  rt::Async<rpc::Outcome> talk(rpc::Method method, std::string request,
                               google::protobuf::MessageLite* reply, HostTime deadline) {
    while (true) {
      co_await rt::pause_for(*loop_, kLatency);
      std::optional<Served> served;
      if (service_->reachable()) {
        served = service_->serve(method.name, request, caller());
        co_await rt::pause_for(*loop_, kLatency);
      }
      if (served && !served->reply_lost) {
        co_return outcome_of(*served, reply);
      }
      const bool again = !served.has_value() || method.repetition != rpc::Repetition::NotRepeated;
      if (!again || loop_->now() + kRetryPause >= deadline) {
        co_return gave_up(method, served.has_value());
      }
      co_await rt::pause_for(*loop_, kRetryPause);
    }
  }

  FakeCaller caller() {
    const auto secret = find_token_ ? find_token_({}) : std::nullopt;
    return {.user = user_, .token_identifier = secret ? secret->identifier : std::string()};
  }

  static rpc::Outcome outcome_of(const Served& served, google::protobuf::MessageLite* reply) {
    if (!served.exception_class.empty()) {
      return failure_of(served);
    }
    if (!reply->ParseFromString(served.reply)) {
      return rpc::Failure(cluster_error("the fake's answer is damaged", Errc::Corrupt));
    }
    return {};
  }

  static rpc::Outcome gave_up(rpc::Method method, bool sent) {
    rpc::Failure failure(cluster_error(
        fmt::format("{}: {}", method.name, sent ? "the connection broke" : "nobody answers"),
        Errc::Unavailable));
    failure.may_be_done = sent;
    return failure;
  }

  rt::Loop* loop_;
  FakeService* service_;
  std::string user_;
  rpc::TokenFinder find_token_;
};

}  // namespace

Served thrown(std::string exception_class, std::string message) {
  return {
      .reply = {}, .exception_class = std::move(exception_class), .message = std::move(message)};
}

Served FakeService::serve(std::string_view method, const std::string& request,
                          const FakeCaller& caller) {
  ++calls_[std::string(method)];
  auto& faults = faults_[std::string(method)];
  if (faults.empty()) {
    return answer(method, request, caller);
  }
  const auto fault = std::move(faults.front());
  faults.pop_front();
  if (!fault.only_lose) {
    return fault.instead;
  }
  auto served = answer(method, request, caller);
  served.reply_lost = true;
  return served;
}

void FakeService::throw_next(const std::string& method, std::string exception_class,
                             std::string message) {
  faults_[method].push_back({.instead = thrown(std::move(exception_class), std::move(message))});
}

void FakeService::lose_next_reply(const std::string& method) {
  faults_[method].push_back({.instead = {}, .only_lose = true});
}

int FakeService::calls(std::string_view method) const {
  const auto found = calls_.find(method);
  return found == calls_.end() ? 0 : found->second;
}

std::unique_ptr<rpc::Proxy> direct_proxy(rt::Loop& loop, FakeService& service, std::string user,
                                         rpc::TokenFinder find_token) {
  return std::make_unique<DirectProxy>(loop, service, std::move(user), std::move(find_token));
}

}  // namespace muster::testing
