#pragma once

#include "cluster/host_memory.h"
#include "cluster/link.h"
#include "job/machine.h"
#include "job/outcome.h"
#include "master/agents/agent_supervisor.h"
#include "master/clients/audience.h"
#include "master/clients/clients.h"
#include "master/clients/job_report.h"
#include "master/watch/notifier.h"
#include "master/watch/sample_book.h"
#include "master/watch/tracker.h"
#include "rt/loop.h"
#include "rt/running.h"
#include "rt/wait.h"

#include <functional>
#include <utility>

namespace muster::master {

/// The last moments of a job: everything that must still be reported or written, and then the end,
/// within a bound. begin() may be repeated.
///
/// People who watch the job's page through a cluster's proxy are told before the job leaves its
/// cluster, since from then on the proxy itself answers for the job.
class Ending {
 public:
  struct Deps {
    rt::Loop& loop;
    cluster::Link& link;
    AgentSupervisor& agents;
    Clients& clients;
    const Audience* audience;  ///< None if the job has no page.
    const JobReport& report;
    SampleBook& samples;
    cluster::HostMemory* hosts;  ///< None if hosts are not remembered.
    const job::Machine& machine;
    Notifier& notices;
    Tracker* tracker;  ///< None if nobody is notified.
  };
  using OnOver = std::function<void(const job::Outcome& outcome)>;

  /// `awaits_follower`: somebody is about to follow the job. `on_over`: the master may exit.
  Ending(const Deps& deps, bool awaits_follower, OnOver on_over)
      : deps_(deps),
        awaits_follower_(awaits_follower),
        on_over_(std::move(on_over)),
        told_(deps.loop) {}
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;

  void begin(const job::Outcome& outcome);
  /// A client has gone, or the audience is served: that may have been the last thing to wait for.
  void told() { told_.pulse(); }

 private:
  [[nodiscard]] rt::Async<> end(job::Outcome outcome);
  [[nodiscard]] rt::Async<Status> serve_audience();
  [[nodiscard]] rt::Async<> finish_all();
  [[nodiscard]] rt::Async<> tell_audience();
  [[nodiscard]] rt::Async<> finish_samples();
  [[nodiscard]] rt::Async<> remember_hosts();
  [[nodiscard]] rt::Async<Status> leave(const job::Outcome* outcome);
  [[nodiscard]] bool audience_served() const {
    return deps_.audience == nullptr || deps_.audience->served();
  }
  [[nodiscard]] bool all_told() const;

  Deps deps_;
  bool awaits_follower_;
  OnOver on_over_;
  bool begun_ = false;
  rt::Event told_;
  rt::Running running_;  ///< Last: it uses the rest.
};

}  // namespace muster::master
