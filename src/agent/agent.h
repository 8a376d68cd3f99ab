#pragma once

#include "agent/agent_deps.h"
#include "agent/attempt/attempt_observer.h"
#include "agent/attempt/attempts.h"
#include "agent/attempt/usage_watch.h"
#include "agent/job_context.h"
#include "agent/machine.h"
#include "agent/master_line.h"
#include "agent/master_search.h"
#include "agent/output/output_feed.h"
#include "agent/sampling/sample_queue.h"
#include "agent/session/sessions.h"
#include "base/log.h"
#include "base/result.h"
#include "rt/async.h"
#include "rt/scope.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::agent {

/// The shell around Machine: turns what masters, attempts and time bring into its inputs and has
/// its effects performed. Lives on the loop's thread. Blocks only to write output to its files.
class Agent final : private MasterLineHandler,
                    private MasterSeeker,
                    private AttemptObserver,
                    private CommitAuthority {
 public:
  Agent(AgentDeps deps, AgentIdentity identity, Unpacker unpack,
        std::function<void(std::string reason)> done);
  ~Agent() override;
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  /// Starts listening and dials the master. After an error this agent is of no use.
  [[nodiscard]] Status start();
  /// Ends everything, giving tasks at most `grace`, then calls `done`.
  void leave(Duration grace, std::string reason);

 private:
  // What masters say.
  [[nodiscard]] wire::AgentHello hello() override;
  [[nodiscard]] bool welcomed(const wire::MasterWelcome& welcome) override;
  void received(wire::MasterFrame frame) override;
  void closed(const Error& reason) override;
  [[nodiscard]] bool wants_master() const override;
  void job_over() override;
  void follow(const wire::FollowOutput& order);

  // What becomes of attempts.
  void prepared(job::AttemptId attempt, job::Address address) override;
  void prepare_failed(job::AttemptId attempt, job::Failure failure) override;
  void started(job::AttemptId attempt, int32_t pid) override;
  void start_failed(job::AttemptId attempt, job::Failure failure) override;
  void ended(job::AttemptId attempt, job::Exit exit) override;
  void tell(job::Fact fact) override;
  void told(job::AttemptId attempt, std::vector<Told> values) override;
  [[nodiscard]] bool stopping(job::AttemptId attempt) const override;

  // Commits.
  bool ask(const wire::CommitAsked& request) override;
  [[nodiscard]] job::Generation generation() const override;

  void perform(Effects effects);
  void schedule();
  rt::Async<> beat();
  void send_beat();
  void quit(std::string reason);
  rt::Async<> say_farewell(std::string reason);

  AgentDeps deps_;
  JobContext job_;
  std::function<void(std::string)> done_;
  log::Logger log_;
  std::optional<Machine> machine_;  ///< Since start().
  OutputFeed feed_;
  Attempts attempts_;
  SampleQueue samples_;
  UsageWatch usage_;
  Sessions sessions_;
  std::unique_ptr<MasterLine> line_;  ///< Since start(), like the search.
  std::unique_ptr<MasterSearch> search_;
  uint64_t beats_ = 0;
  rt::TimerId due_timer_{};
  bool greeted_ = false;  ///< A master has accepted this agent.
  rt::Scope scope_;       ///< Last: its coroutines use all of the above.
};

}  // namespace muster::agent
