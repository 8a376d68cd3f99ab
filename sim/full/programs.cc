#include "sim/full/programs.h"

#include "base/check.h"
#include "sim/full/mirror_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

namespace muster::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr uint64_t kFarTooMuch = 1ULL << 40;
constexpr std::string_view kFirstWords = "started\n";
constexpr std::string_view kPeerLost =
    "ConnectionResetError: [Errno 104] Connection reset by peer\n";

uint32_t number_in(const std::map<std::string, std::string>& env, const char* name) {
  const auto found = env.find(name);
  return found == env.end() ? 0 : static_cast<uint32_t>(std::stoul(found->second));
}

/// Returns whose program this is, according to its environment.
job::AttemptId attempt_in(const job::Plan& plan, const std::map<std::string, std::string>& env) {
  const auto role = std::ranges::find(plan.roles, env.at("MUSTER_ROLE"), &job::RolePlan::name);
  return {{job::RoleIndex{static_cast<uint16_t>(role - plan.roles.begin())},
           number_in(env, "MUSTER_INDEX")},
          number_in(env, "MUSTER_ATTEMPT")};
}

}  // namespace

Programs::Program* Programs::find(os::Pid pid) {
  const auto found = programs_.find(pid);
  return found == programs_.end() ? nullptr : &found->second;
}

Result<os::Pid> Programs::spawn(const os::SpawnOptions& options, Handlers handlers) {
  const job::AttemptId id = attempt_in(around_.plan, options.env);
  if (around_.faults.strikes(Fault::SpawnFails)) {
    around_.truth.origins.insert(id);
    return cluster_error("no process can be started: Resource temporarily unavailable");
  }
  const os::Pid pid{around_.next_pid};
  around_.next_pid += 2;  // The next number is its child's.
  Program& program = programs_[pid];
  program.id = id;
  program.truth = around_.truth.attempts.size();
  program.handlers = std::make_shared<Handlers>(std::move(handlers));
  program.runs = true;
  if (const auto mirrored = options.env.find("MUSTER_COMMIT_DIR"); mirrored != options.env.end()) {
    program.checkpoint = options.env.at("MUSTER_CHECKPOINT_DIR");
  }
  around_.truth.newest[id] = program.truth;
  around_.truth.attempts.push_back(
      {.id = id,
       .generation = job::Generation{number_in(options.env, "MUSTER_GENERATION")},
       .container = container_,
       .host = host_,
       .started = around_.world.now(),
       .ended = std::nullopt,
       .end = TrueEnd::Success,
       .exit = {}});
  around_.started(options);
  say(program, os::Stream::Stdout, std::string(kFirstWords));
  live(pid);
  return pid;
}

void Programs::live(os::Pid pid) {
  Program& program = programs_.at(pid);
  program.child_runs = around_.faults.strikes(Fault::ChildrenStay);
  if (around_.faults.strikes(Fault::OverMemory)) {
    MUSTER_CHECK(around_.plan.role(program.id.task.role).resources.memory_bytes > 0,
                 "what takes far too much memory has a limit");
    program.memory_bytes = kFarTooMuch;
  }
  if (!program.checkpoint.empty()) {
    save_later(pid);
  }
  const Duration lasts = random_.between(Duration(milliseconds(20)), Duration(seconds(20)));
  around_.world.after(lasts, [this, alive = alive_, pid] {
    if (*alive) {
      end_by_itself(pid);
    }
  });
}

void Programs::save_later(os::Pid pid) {
  around_.world.after(random_.between(Duration(milliseconds(200)), Duration(seconds(4))),
                      [this, alive = alive_, pid] {
                        if (*alive && programs_.at(pid).runs) {
                          save(pid);
                        }
                      });
}

// The mark that says that a checkpoint is complete is removed first and written last.
void Programs::save(os::Pid pid) {
  const os::Path folder = programs_.at(pid).checkpoint;
  const std::string text =
      fmt::format("{} at {}", pid.value, around_.world.now().time_since_epoch().count());
  testing::MemoryFiles files(around_.tree);
  (void)files.remove(folder / kMarkFile);
  (void)files.write(folder / kWeightsFile, text, {});
  around_.world.after(random_.between(Duration::zero(), Duration(seconds(2))),
                      [this, alive = alive_, pid, folder, text] {
                        if (*alive && programs_.at(pid).runs) {
                          testing::MemoryFiles files(around_.tree);
                          (void)files.write(folder / kMarkFile, text, {});
                          save_later(pid);
                        }
                      });
}

void Programs::end_by_itself(os::Pid pid) {
  const Program& program = programs_.at(pid);
  if (!program.runs || program.asked || program.memory_bytes == kFarTooMuch) {
    return;  // Busy ending, or swapping for ever.
  }
  end(pid, around_.faults.strikes(Fault::ProgramFails) ? draw_failure() : Ending{});
}

Programs::Ending Programs::draw_failure() {
  if (around_.faults.strikes(Fault::ProgramLies)) {
    return {TrueEnd::Origin, 1, 0, std::string(kPeerLost)};
  }
  const std::array endings = {
      Ending{TrueEnd::Origin, 1, 0, "something went wrong\n"},
      Ending{TrueEnd::Origin, 1, 0, "something went wrong\n"},
      Ending{TrueEnd::Origin, 7, 0, ""},
      Ending{TrueEnd::Origin, 1, 0, "RuntimeError: CUDA error: out of memory\n"},
      Ending{TrueEnd::Origin, 1, 0, "OSError: [Errno 98] Address already in use\n"},
      Ending{TrueEnd::Origin, 1, 0, "OSError: [Errno 28] No space left on device\n"},
      Ending{TrueEnd::Origin, 0, SIGSEGV, ""},
      Ending{TrueEnd::Origin, 0, SIGKILL, ""},
      Ending{TrueEnd::Origin, 1, 0, "ModuleNotFoundError: No module named 'torch'\n"},
  };
  return endings[random_.below(endings.size())];
}

void Programs::say(const Program& program, os::Stream stream, const std::string& text) {
  if (text.empty()) {
    return;
  }
  loop_.post([handlers = program.handlers, stream, text] {
    if (handlers->output) {
      handlers->output(stream, text);
    }
  });
}

void Programs::end(os::Pid pid, const Ending& ending) {
  Program& program = programs_.at(pid);
  program.runs = false;
  TrueAttempt& truth = around_.truth.attempts[program.truth];
  truth.ended = around_.world.now();
  truth.end = ending.how;
  os::Exit exit;
  if (ending.signal != 0) {
    truth.exit.signal = exit.signal = ending.signal;
  } else {
    truth.exit.exit_code = exit.code = ending.code;
  }
  if (program.memory_bytes == kFarTooMuch && ending.how == TrueEnd::Origin) {
    truth.exit.failure = verdict::failure_of("memory.limit");
  } else if (ending.how == TrueEnd::Origin || ending.how == TrueEnd::Victim) {
    truth.exit.failure = around_.classifier.classify({.exit = truth.exit,
                                                      .stopped = false,
                                                      .cluster_code = {},
                                                      .stdout_tail = kFirstWords,
                                                      .stderr_tail = ending.words});
  }
  say(program, os::Stream::Stderr, ending.words);
  loop_.post([handlers = program.handlers, exit] { handlers->exited(exit); });
  if (ending.how == TrueEnd::Origin && ending.words == kPeerLost) {
    around_.truth.liars.insert(program.id);
  }
  if (ending.how == TrueEnd::Origin) {
    around_.truth.origins.insert(program.id);
    around_.died(truth);
  }
}

Status Programs::signal_group(os::Pid leader, int signal) {
  (void)signal_family(leader, signal);
  return {};
}

size_t Programs::signal_family(os::Pid child, int signal) {
  const size_t told = family(child).size();
  // Half of all programs ignore INT.
  if (signal == SIGTERM || (signal == SIGINT && random_.chance(50))) {
    told_to_end(child);
  } else if (signal == SIGKILL) {
    killed(child);
  }
  return told;
}

void Programs::told_to_end(os::Pid pid) {
  Program* const program = find(pid);
  if (program == nullptr || std::exchange(program->asked, true)) {
    return;
  }
  if (!around_.faults.strikes(Fault::TermIgnored)) {
    around_.world.after(random_.between(Duration(milliseconds(1)), Duration(seconds(1))),
                        [this, alive = alive_, pid] {
                          if (*alive && programs_.at(pid).runs) {
                            end(pid, {TrueEnd::Stopped, 0, SIGTERM, ""});
                          }
                        });
  }
  if (program->child_runs && random_.chance(70)) {
    around_.world.after(random_.between(Duration(milliseconds(1)), Duration(seconds(3))),
                        [this, alive = alive_, pid] {
                          if (*alive) {
                            programs_.at(pid).child_runs = false;
                          }
                        });
  }
}

void Programs::killed(os::Pid pid) {
  Program* const program = find(pid);
  if (program == nullptr) {
    return;
  }
  program->child_runs = false;
  if (program->runs) {
    end(pid, {program->asked ? TrueEnd::Stopped : TrueEnd::Origin, 0, SIGKILL, ""});
  }
}

void Programs::drain_output(os::Pid) {}

void Programs::close_output(os::Pid pid) {
  if (Program* const program = find(pid)) {
    program->handlers->output = nullptr;
  }
}

std::vector<os::Pid> Programs::family(os::Pid child) const {
  std::vector<os::Pid> members;
  const auto found = programs_.find(child);
  if (found != programs_.end() && found->second.runs) {
    members.push_back(child);
  }
  if (found != programs_.end() && found->second.child_runs) {
    members.push_back(os::Pid{child.value + 1});
  }
  return members;
}

uint64_t Programs::memory_of(std::span<const os::Pid> processes) const {
  uint64_t sum = 0;
  for (const os::Pid pid : processes) {
    const auto found = programs_.find(pid);
    sum += found != programs_.end() ? found->second.memory_bytes : 0;
  }
  return sum;
}

size_t Programs::alive() const {
  return static_cast<size_t>(std::ranges::count_if(
      programs_, [](const auto& entry) { return entry.second.runs || entry.second.child_runs; }));
}

void Programs::peer_lost(const TrueAttempt& peer) {
  for (const auto& [pid, program] : programs_) {
    const TrueAttempt& truth = around_.truth.attempts[program.truth];
    const bool concerned = program.runs && truth.generation == peer.generation && !program.asked;
    if (!concerned || around_.faults.strikes(Fault::ProgramHangs)) {
      continue;
    }
    around_.world.after(random_.between(Duration(milliseconds(1)), Duration(milliseconds(200))),
                        [this, alive = alive_, id = pid, lost = peer.id] {
                          if (!*alive || !programs_.at(id).runs || programs_.at(id).asked) {
                            return;
                          }
                          around_.truth.caused_by.emplace(programs_.at(id).id, lost);
                          end(id, {TrueEnd::Victim, 1, 0, std::string(kPeerLost)});
                        });
  }
}

void Programs::die(TrueEnd how) {
  *alive_ = false;
  for (auto& [pid, program] : programs_) {
    program.child_runs = false;
    if (program.runs) {
      end(pid, {program.asked ? TrueEnd::Stopped : how, 0, SIGKILL, ""});
    }
  }
}

}  // namespace muster::sim
