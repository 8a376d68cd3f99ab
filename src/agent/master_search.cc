#include "agent/master_search.h"

#include "rt/wait_until.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace muster::agent {
namespace {

constexpr Duration kDialBackOffLow = std::chrono::milliseconds(50);
constexpr Duration kDialBackOffHigh = std::chrono::seconds(2);
constexpr Duration kDialDeadline = std::chrono::seconds(5);
constexpr Duration kSeekBackOffLow = std::chrono::milliseconds(200);
constexpr Duration kSeekBackOffHigh = std::chrono::seconds(5);

}  // namespace

MasterSearch::MasterSearch(Deps deps, control::Peer self, control::Key key)
    : deps_(deps),
      self_(std::move(self)),
      key_(key),
      back_off_(kDialBackOffLow),
      told_(deps.loop),
      unreachable_(deps.loop),
      scope_(deps.loop) {
  scope_.spawn(keep_dialling());
  if (deps_.starter != nullptr) {
    scope_.spawn(keep_seeking());
  }
}

void MasterSearch::dial(std::string master) {
  if (master != master_) {
    master_ = std::move(master);
    back_off_ = kDialBackOffLow;
  }
  told_.pulse();
}

rt::Async<> MasterSearch::keep_dialling() {
  using Dialled = Result<std::unique_ptr<control::Channel>>;
  while (master_.empty()) {
    co_await told_.wait();
  }
  uint64_t accepted = deps_.line.accepted();
  while (!deps_.line.closed()) {
    auto begin = [this](rt::Answer<Dialled> answer) {
      deps_.transport.dial(master_, self_, key_, kDialDeadline, std::move(answer));
    };
    Dialled dialled = co_await rt::from_callback<Dialled>(deps_.loop, std::move(begin));
    if (deps_.line.closed()) {
      co_return;
    }
    if (dialled.has_value()) {
      // A master that has meanwhile dialled this agent keeps its connection, because people's
      // streams use it.
      if (!deps_.line.up()) {
        deps_.line.adopt(std::move(*dialled));
      }
    } else {
      deps_.log.debug("master.unreachable",
                      {{"master", master_}, {"error", dialled.error().message}});
    }
    do {
      co_await deps_.line.lost();
      if (std::exchange(accepted, deps_.line.accepted()) != accepted) {
        back_off_ = kDialBackOffLow;
      }
      unreachable_.pulse();
      const HostTime again = deps_.loop.now() + back_off_;
      back_off_ = std::min(back_off_ * 2, kDialBackOffHigh);
      (void)co_await rt::wait_until(deps_.loop, again, told_);
      // Meanwhile a later master may have dialled this agent.
    } while (deps_.line.up());
  }
}

rt::Async<> MasterSearch::keep_seeking() {
  while (!deps_.line.closed()) {
    co_await unreachable_.wait();
    Duration back_off = kSeekBackOffLow;
    while (!deps_.line.up() && !deps_.line.closed() && deps_.seeker.wants_master()) {
      seek();
      co_await rt::pause_for(deps_.loop, back_off);
      back_off = std::min(back_off * 2, kSeekBackOffHigh);
    }
  }
}

void MasterSearch::seek() {
  const Result<cluster::MasterSought> sought = deps_.starter->seek();
  if (!sought.has_value()) {
    deps_.log.warning("master.not-started", {{"error", sought.error().message}});
    return;
  }
  switch (sought->kind) {
    case cluster::MasterSought::Kind::Alive:
      if (!sought->address.empty()) {
        dial(sought->address);
      }
      return;
    case cluster::MasterSought::Kind::Started:
      deps_.log.info("master.started");
      return;
    case cluster::MasterSought::Kind::Over:
      deps_.seeker.job_over();
      return;
  }
}

}  // namespace muster::agent
