#include "agent/attempt/tensorboards.h"

#include "base/check.h"
#include "control/keys.h"
#include "control/page_keys.h"
#include "framework/tensorboard.h"
#include "job/side_program.h"

#include <utility>

namespace muster::agent {

Tensorboards::Tensorboards(const AgentDeps& deps, const JobContext& job, OutputFeed& feed,
                           AttemptObserver& observer, WatchBudget& close_looks)
    : deps_(deps),
      job_(job),
      feed_(feed),
      observer_(observer),
      close_looks_(close_looks),
      log_(deps.log) {}

void Tensorboards::start(const TaskRun& run, const TaskRun::StartOptions& options) {
  const job::AttemptId id = run.names().attempt;
  auto board = std::make_unique<TensorboardRun>(
      TensorboardRun::Deps{deps_.loop, deps_.files, deps_.processes, deps_.meter, close_looks_},
      options_of(run, options),
      TensorboardRun::Handlers{
          .ready = [this, id] { publish(id); },
          .ended = [this, &run](const std::string& why) { say_ended(run, why); }});
  board->start();
  boards_[id] = std::move(board);
}

TensorboardRun::Options Tensorboards::options_of(const TaskRun& run,
                                                 const TaskRun::StartOptions& task) const {
  const Result<control::Key> key = control::parse_key(job_.order().agent_key_hex);
  MUSTER_CHECK(key.has_value(), "an agent without a key has started a task");
  TensorboardRun::Options options;
  options.python = task.python.empty() ? "python3" : task.python;
  options.logdir = task.environment.at("TB_LOG_DIR");
  options.folder = run.names().work_folder;
  options.host = run.address().host;
  options.port = run.address().named_ports.at(std::string(framework::kTensorboardPort));
  options.path = "/" + control::to_hex(control::side_path_key_of(*key));
  options.environment = task.environment;
  options.log = std::filesystem::path(run.names().log_stem) += ".tensorboard";
  options.rotation = task.rotation;
  options.memory_limit_bytes = task.memory_limit_bytes > 0 ? job::kSideProgramMemoryBytes : 0;
  return options;
}

void Tensorboards::say_ended(const TaskRun& run, const std::string& why) {
  const job::AttemptId id = run.names().attempt;
  log_.warning("tensorboard.ended", {{"attempt", job_.stem_of(id)}, {"why", why}});
  const OutputLog* const output = run.output(wire::OutputStream::Stderr);
  feed_.remark(id, wire::OutputStream::Stderr, output == nullptr ? 0 : output->size_bytes(),
               "muster: TensorBoard has ended (" + why + "); the job continues\n");
}

void Tensorboards::publish(job::AttemptId id) {
  log_.info("tensorboard.ready", {{"attempt", job_.stem_of(id)}});
  observer_.tell(job::EndpointPublished{id, std::string(framework::kTensorboardPort),
                                        framework::kTensorboardLink});
}

void Tensorboards::publish_all() {
  for (const auto& [id, board] : boards_) {
    if (board->ready()) {
      publish(id);
    }
  }
}

void Tensorboards::watch_memory(const os::FamilyRound& round) {
  for (const auto& [id, board] : boards_) {
    board->watch_memory(round);
  }
}

}  // namespace muster::agent
