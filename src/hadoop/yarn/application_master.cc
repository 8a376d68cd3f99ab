#include "hadoop/yarn/application_master.h"

#include "hadoop/yarn/calling.h"
#include "hadoop/yarn/master_codec.h"
#include "hadoop/yarn_master.pb.h"
#include "rt/wait.h"

#include <chrono>
#include <utility>

namespace muster::hadoop::yarn {
namespace {

using rpc::Method;
using rpc::Repetition;

constexpr Method kRegister{.name = "registerApplicationMaster",
                           .repetition = Repetition::Idempotent};
// Repeated with the same response id, it brings the stored answer.
constexpr Method kAllocate{.name = "allocate", .repetition = Repetition::AtMostOnce};
constexpr Method kFinish{.name = "finishApplicationMaster", .repetition = Repetition::AtMostOnce};

// A resource manager that forgets us more often within one heartbeat is not well.
constexpr int kResyncsMax = 3;
constexpr Duration kFinishPause = std::chrono::milliseconds(100);

bool has_forgotten_us(const rpc::Failure& failure) {
  return failure.is("ApplicationMasterNotRegisteredException");
}

bool knows_us_already(const rpc::Failure& failure) {
  return failure.is("InvalidApplicationMasterRequestException") &&
         failure.error.message.find("already registered") != std::string::npos;
}

bool is_over(const rpc::Failure& failure) {
  return failure.is("ApplicationAttemptNotFoundException") ||
         failure.is("ApplicationNotFoundException");
}

Error told_to_stop() {
  return cluster_error("the resource manager has told the application master to stop",
                       Errc::NotFound);
}

}  // namespace

rt::Async<Result<Registration>> ApplicationMaster::register_self(MasterPresence presence,
                                                                 HostTime deadline) {
  presence_ = std::move(presence);
  pb::RegisterApplicationMasterRequest request;
  encode(presence_, &request);
  auto replied = co_await call_explained<pb::RegisterApplicationMasterResponse>(
      proxy_, kRegister, std::move(request), "cannot register the application master", deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  auto registration = decode(reply);
  book_.resync();
  book_.adopt(registration.from_previous_attempts);
  co_return registration;
}

rt::Async<Status> ApplicationMaster::register_again(HostTime deadline) {
  pb::RegisterApplicationMasterRequest request;
  encode(presence_, &request);
  auto replied = co_await call<pb::RegisterApplicationMasterResponse>(proxy_, kRegister,
                                                                      std::move(request), deadline);
  if (!replied.has_value() && !knows_us_already(replied.error())) {
    co_return explain(replied.error(), "cannot register the application master again");
  }
  book_.resync();
  co_return Status();
}

rt::Async<Result<Heartbeat>> ApplicationMaster::heartbeat(float progress, HostTime deadline) {
  bool resynced = false;
  for (int tries = 0;; ++tries) {
    pb::AllocateRequest request;
    encode(book_.begin(progress), &request);
    auto replied =
        co_await call<pb::AllocateResponse>(proxy_, kAllocate, std::move(request), deadline);
    const bool forgotten = replied.has_value() ? replied->has_am_command() &&
                                                     replied->am_command() == pb::AM_COMMAND_RESYNC
                                               : has_forgotten_us(replied.error());
    if (!forgotten && !replied.has_value()) {
      co_return explain(replied.error(), "the heartbeat to the resource manager failed");
    }
    if (!forgotten) {
      MUSTER_CO_TRY(auto answer, decode(*replied));
      co_return take(std::move(answer), resynced);
    }
    if (tries == kResyncsMax) {
      co_return cluster_error("the resource manager forgets the application master again and again",
                              Errc::Other);
    }
    auto again = co_await register_again(deadline);
    MUSTER_CO_TRY_STATUS(std::move(again));
    resynced = true;
  }
}

Result<Heartbeat> ApplicationMaster::take(AllocateAnswer answer, bool resynced) {
  if (answer.command == MasterCommand::Shutdown) {
    return told_to_stop();
  }
  if (answer.master_token) {
    token_->replace(*answer.master_token);
  }
  auto harvest = book_.accept(answer);
  return Heartbeat{
      .answer = std::move(answer), .harvest = std::move(harvest), .resynced = resynced};
}

void ApplicationMaster::set_tracking_url(std::string url) {
  presence_.tracking_url = url;
  book_.show_page(std::move(url));
}

rt::Async<Status> ApplicationMaster::finish(Farewell farewell, HostTime deadline) {
  pb::FinishApplicationMasterRequest request;
  encode(farewell, &request);
  bool said = false;
  while (true) {
    auto replied =
        co_await call<pb::FinishApplicationMasterResponse>(proxy_, kFinish, request, deadline);
    if (replied.has_value() && replied->is_unregistered()) {
      co_return Status();
    }
    if (!replied.has_value()) {
      const auto& failure = replied.error();
      // What was said before was done, and then forgotten.
      if (said && is_over(failure)) {
        co_return Status();
      }
      if (!has_forgotten_us(failure)) {
        co_return explain(failure, "cannot tell the resource manager that the application ended");
      }
      auto again = co_await register_again(deadline);
      MUSTER_CO_TRY_STATUS(std::move(again));
      continue;
    }
    said = true;
    if (loop_->now() + kFinishPause >= deadline) {
      co_return cluster_error(
          "the resource manager has not written the application's end down in time",
          Errc::DeadlineExceeded);
    }
    co_await rt::pause_for(*loop_, kFinishPause);
  }
}

}  // namespace muster::hadoop::yarn
