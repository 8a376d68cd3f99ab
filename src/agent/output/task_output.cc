#include "agent/output/task_output.h"

namespace muster::agent {
namespace {

OutputLog open_log(const TaskOutput::Deps& deps, std::filesystem::path stem, const char* ending,
                   Rotation rotation) {
  return {deps.files, stem += ending, rotation, [&loop = deps.loop] { return loop.wall_now(); }};
}

}  // namespace

TaskOutput::TaskOutput(Deps deps, job::AttemptId attempt, const std::filesystem::path& log_stem,
                       Rotation rotation)
    : deps_(deps),
      attempt_(attempt),
      stdout_(open_log(deps, log_stem, ".stdout", rotation)),
      stderr_(open_log(deps, log_stem, ".stderr", rotation)) {}

void TaskOutput::write(wire::OutputStream stream, std::string_view bytes) {
  OutputLog& log = stream == wire::OutputStream::Stdout ? stdout_ : stderr_;
  const uint64_t offset = log.size_bytes();
  log.write(bytes, stream != last_);
  last_ = stream;
  news_.take(stream == wire::OutputStream::Stdout ? 0 : 1, bytes);
  deps_.feed.offer(deps_.loop.now(), attempt_, stream, offset, bytes);
}

void TaskOutput::finish() {
  deps_.feed.finish(attempt_, wire::OutputStream::Stdout, stdout_.size_bytes());
  deps_.feed.finish(attempt_, wire::OutputStream::Stderr, stderr_.size_bytes());
}

const OutputLog& TaskOutput::log(wire::OutputStream stream) const {
  return stream == wire::OutputStream::Stdout ? stdout_ : stderr_;
}

uint64_t TaskOutput::size_bytes() const { return stdout_.size_bytes() + stderr_.size_bytes(); }

}  // namespace muster::agent
