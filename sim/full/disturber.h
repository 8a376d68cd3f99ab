#pragma once

#include "sim/full/agents.h"
#include "sim/full/judgement.h"
#include "sim/full/log_disk.h"
#include "sim/full/masters.h"
#include "sim/full/setting.h"

namespace muster::sim {

/// Strikes the masters, the agents, the log's disk and the lines of a run, about once a second
/// until the job is over. The cluster's model draws for itself what strikes the cluster.
class Disturber {
 public:
  struct Around {
    LogDisk& disk;
    Agents& agents;
    Masters& masters;
    Judgement& judgement;  ///< Asked to look at the checkpoints each time.
  };
  Disturber(Setting& setting, const Around& around) : setting_(setting), around_(around) {}
  Disturber(const Disturber&) = delete;
  Disturber& operator=(const Disturber&) = delete;

  /// Strikes now, and again later.
  void disturb();

 private:
  void disturb_masters();
  void disturb_agents();
  void disturb_lines(const job::ContainerId& victim);
  void speak_falsely(const job::ContainerId& container);
  void cut(const job::ContainerId& container, Duration lasts, bool to_agent, bool to_master);

  Setting& setting_;
  Around around_;
};

}  // namespace muster::sim
