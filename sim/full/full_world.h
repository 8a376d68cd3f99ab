#pragma once

#include "sim/full/agents.h"
#include "sim/full/disturber.h"
#include "sim/full/full_run.h"
#include "sim/full/judgement.h"
#include "sim/full/log_disk.h"
#include "sim/full/masters.h"
#include "sim/full/run_cluster.h"
#include "sim/full/setting.h"
#include "testing/memory_files.h"
#include "verdict/classifier.h"

#include <set>
#include <string>

namespace muster::sim {

/// One run: puts together one seed's job, its cluster, masters and agents, the faults that strike
/// them and the judgement of it all, and runs it to its end.
class FullWorld {
 public:
  explicit FullWorld(const SeedRun& options);
  FullWorld(const FullWorld&) = delete;
  FullWorld& operator=(const FullWorld&) = delete;

  SeedResult run();

 private:
  [[nodiscard]] Agents::Around agents_around();
  void run_to_the_end();
  [[nodiscard]] std::set<std::string> reached() const;

  // What is below may use what is above, and only the cluster, the agents and the masters know each
  // other.
  Setting setting_;
  testing::MemoryTree tree_;
  LogDisk disk_;
  verdict::Classifier classifier_;
  Judgement judgement_;
  RunCluster cluster_;
  Agents agents_;
  Masters masters_;
  Disturber disturber_;
};

}  // namespace muster::sim
