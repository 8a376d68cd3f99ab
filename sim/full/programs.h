#pragma once

#include "job/plan.h"
#include "os/process/processes.h"
#include "rt/loop.h"
#include "sim/core/truth.h"
#include "sim/faults.h"
#include "sim/world.h"
#include "testing/memory_files.h"
#include "verdict/classifier.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace muster::sim {

/// What all programs of a run share.
struct ProgramWorld {
  World& world;
  Faults& faults;
  Truth& truth;
  const job::Plan& plan;
  verdict::Classifier& classifier;
  /// A program has started: the last entry of the truth.
  std::function<void(const os::SpawnOptions& options)> started;
  /// A program ended by itself, and its peers may notice.
  std::function<void(const TrueAttempt&)> died;
  testing::MemoryTree& tree;  ///< Where they write their checkpoints.
  int32_t next_pid = 100;
};

/// The processes of one agent: the user's programs, which succeed, fail in many ways, lose their
/// peers, hang, use too much memory, leave children and do not hear TERM; those whose checkpoint is
/// mirrored write one now and then. They live in the world, not on the agent's loop: an agent that
/// stands still finds out later. What really happened goes into the truth.
class Programs final : public os::Processes {
 public:
  Programs(ProgramWorld& around, rt::Loop& loop, job::ContainerId container, job::HostName host)
      : around_(around),
        loop_(loop),
        random_(around.world.random().fork()),
        container_(std::move(container)),
        host_(std::move(host)) {}
  ~Programs() override { *alive_ = false; }
  Programs(const Programs&) = delete;
  Programs& operator=(const Programs&) = delete;

  Result<os::Pid> spawn(const os::SpawnOptions& options, Handlers handlers) override;
  Status signal_group(os::Pid leader, int signal) override;
  void drain_output(os::Pid pid) override;
  void close_output(os::Pid pid) override;
  [[nodiscard]] std::vector<os::Pid> family(os::Pid child) const override;
  size_t signal_family(os::Pid child, int signal) override;

  /// A peer's program went away.
  void peer_lost(const TrueAttempt& peer);
  /// Everything ends with its agent, for this reason; nobody is told.
  void die(TrueEnd how);
  [[nodiscard]] uint64_t memory_of(std::span<const os::Pid> processes) const;
  /// Returns how many programs live, including those of which only children are left.
  [[nodiscard]] size_t alive() const;

 private:
  struct Program {
    job::AttemptId id;
    size_t truth = 0;  ///< Index of its entry.
    std::shared_ptr<Handlers> handlers;
    bool runs = false;
    bool child_runs = false;  ///< One process that it left behind.
    bool asked = false;       ///< TERM has come.
    uint64_t memory_bytes = 64ULL << 20;
    os::Path checkpoint;  ///< The folder that it writes to; empty if nobody would keep it.
  };
  struct Ending {
    TrueEnd how = TrueEnd::Success;
    int code = 0;
    int signal = 0;
    std::string words;  ///< Its last words, on stderr.
  };

  void live(os::Pid pid);
  void save_later(os::Pid pid);
  void save(os::Pid pid);
  void end_by_itself(os::Pid pid);
  [[nodiscard]] Ending draw_failure();
  void say(const Program& program, os::Stream stream, const std::string& text);
  void end(os::Pid pid, const Ending& ending);
  void told_to_end(os::Pid pid);
  void killed(os::Pid pid);
  [[nodiscard]] Program* find(os::Pid pid);

  ProgramWorld& around_;
  rt::Loop& loop_;
  Random random_;
  job::ContainerId container_;
  job::HostName host_;
  std::map<os::Pid, Program> programs_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster::sim
