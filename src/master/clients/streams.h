#pragma once

#include "base/log.h"
#include "job/ids.h"
#include "master/agents/admission.h"
#include "master/agents/agent_supervisor.h"
#include "master/clients/clients.h"
#include "master/clients/stream_relay.h"
#include "master/clients/task_dialer.h"
#include "master/decider.h"
#include "master/watch/stall_judge.h"
#include "rt/loop.h"
#include "wire/frame.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace muster::master {

/// The streams into running tasks, and everything that opens them: owners' clients, the job's page,
/// and the judge of stalls. Lives on the loop's thread.
class Streams {
 public:
  struct Deps {
    rt::Loop& loop;
    log::Logger log;
    Decider& decider;
    Clients& clients;
    AgentSupervisor& agents;
    Admission& admission;
    TaskDialer* page;  ///< None if the job has no page.
  };

  explicit Streams(const Deps& deps);
  ~Streams();
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  /// The page may reach tasks from now on.
  void begin();

  // As StreamRelay.
  void from_client(const StreamRelay::Opener& opener, wire::StreamFrame frame) {
    relay_.from_client(opener, std::move(frame));
  }
  void from_agent(const job::ContainerId& container, wire::StreamFrame frame) {
    relay_.from_agent(container, std::move(frame));
  }
  void client_gone(ClientNumber client) { relay_.client_gone(client); }
  void agent_gone(const job::ContainerId& container) { relay_.agent_gone(container); }
  void released(uint64_t index) { relay_.released(index); }

  /// An agent reports what its attempts do; the judge may look closer.
  void sampled(const job::ContainerId& container, const std::vector<wire::Samples>& samples) {
    judge_.sampled(container, samples);
  }

 private:
  void to_client(ClientNumber client, wire::StreamFrame frame);

  Deps deps_;
  StreamRelay relay_;
  StallJudge judge_;  ///< After the relay, through which it opens streams.
};

}  // namespace muster::master
