#include "agent/agent.h"
#include "base/check.h"
#include "control/keys.h"
#include "control/page_keys.h"
#include "framework/tensorboard.h"
#include "job/side_program.h"

#include <utility>

namespace muster::agent {

/// Whatever becomes of it, the attempt goes on.
void Agent::start_tensorboard(const TaskRun& run, const TaskRun::StartOptions& options) {
  const job::AttemptId id = run.names().attempt;
  const Result<control::Key> key = control::parse_key(identity_.launch.order.agent_key_hex);
  MUSTER_CHECK(key.has_value(), "an agent without a key has started a task");
  const auto say = [this, id](const std::string& why) {
    log_.warning("tensorboard.ended", {{"attempt", stem_of(id)}, {"why", why}});
    if (const auto found = runs_.find(id); found != runs_.end()) {
      const OutputLog* const output = found->second->output(wire::OutputStream::Stderr);
      feed_.remark(id, wire::OutputStream::Stderr, output == nullptr ? 0 : output->size_bytes(),
                   "muster: TensorBoard has ended, the job goes on: " + why + "\n");
    }
  };
  TensorboardRun::Options board;
  board.python = options.python.empty() ? "python3" : options.python;
  board.logdir = options.environment.at("TB_LOG_DIR");
  board.folder = run.names().work_folder;
  board.host = run.address().host;
  board.port = run.address().named_ports.at(std::string(framework::kTensorboardPort));
  board.path = "/" + control::to_hex(control::side_path_key_of(*key));
  board.environment = options.environment;
  board.log = std::filesystem::path(run.names().log_stem) += ".tensorboard";
  board.rotation = options.rotation;
  board.memory_limit_bytes = job::kSideProgramMemoryBytes;
  auto made = std::make_unique<TensorboardRun>(
      TensorboardRun::Deps{deps_.loop, deps_.files, deps_.processes, deps_.meter}, std::move(board),
      TensorboardRun::Handlers{.ready = [this, id] { publish_tensorboard(id); }, .ended = say});
  if (const Status started = made->start(); started.has_value()) {
    boards_[id] = std::move(made);
  } else {
    say(started.error().message);
  }
}

void Agent::publish_tensorboard(job::AttemptId id) {
  log_.info("tensorboard.ready", {{"attempt", stem_of(id)}});
  line_->send(wire::AgentFact{job::EndpointPublished{id, std::string(framework::kTensorboardPort),
                                                     framework::kTensorboardLink}});
}

}  // namespace muster::agent
