#include "testing/fake_link.h"

#include <fmt/format.h>

#include <utility>

namespace muster::testing {

Status FakeLink::start(std::vector<job::ContainerId> known, OnFact on_fact) {
  live_.insert(known.begin(), known.end());
  known_at_start = std::move(known);
  on_fact_ = std::move(on_fact);
  return {};
}

void FakeLink::request(const job::RequestContainer& request) {
  requests.push_back(request);
  if (!answered_.insert(request.request).second) {
    return;
  }
  const job::HostName host = grants[(next_container - 1) % grants.size()];
  const job::ContainerId container(fmt::format("c{}", next_container++));
  live_.insert(container);
  tell(job::ContainerGranted{request.request, container, host});
}

void FakeLink::launch(const cluster::LaunchOrder& order) {
  launches.push_back(order);
  if (on_launch) {
    loop_.post([this, alive = alive_, order] {
      if (*alive && on_launch) {
        on_launch(order);
      }
    });
  }
}

void FakeLink::release(const job::ContainerId& container, cluster::Confirm confirm) {
  if (confirm == cluster::Confirm::Yes) {
    to_confirm.insert(container);
  } else {
    to_confirm.erase(container);
  }
  end(container, job::ContainerEndKind::Released);
}

void FakeLink::finish(const job::Outcome& outcome, std::function<void()> done) {
  finished = outcome;
  loop_.post(std::move(done));
}

void FakeLink::tell(job::Fact fact) {
  loop_.post([this, alive = alive_, fact = std::move(fact)]() mutable {
    if (*alive && on_fact_) {
      on_fact_(std::move(fact));
    }
  });
}

void FakeLink::end(const job::ContainerId& container, job::ContainerEndKind kind,
                   std::string cluster_code) {
  if (live_.erase(container) == 0) {
    return;
  }
  dead_.insert(container);
  tell(job::ContainerEnded{.container = container,
                           .kind = kind,
                           .exit_code = std::nullopt,
                           .diagnostics = {},
                           .cluster_code = std::move(cluster_code)});
}

}  // namespace muster::testing
