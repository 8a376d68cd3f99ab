#include "app/kept_output.h"

#include "base/text.h"
#include "cluster/job_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::app {

KeptOutput::KeptOutput(os::Files& files, std::filesystem::path folder, agent::Rotation rotation,
                       agent::OutputLog::Clock clock)
    : files_(files), folder_(std::move(folder)), rotation_(rotation), clock_(std::move(clock)) {}

KeptOutput::Kept& KeptOutput::kept_of(std::string_view role, const wire::Output& piece) {
  const std::pair key{piece.attempt, piece.stream};
  const auto found = kept_.find(key);
  if (found != kept_.end()) {
    return found->second;
  }
  const std::string stem =
      cluster::JobFolder::attempt_stem(role, piece.attempt.task.index, piece.attempt.number);
  const bool is_err = piece.stream == wire::OutputStream::Stderr;
  Kept fresh{.log = agent::OutputLog(files_, folder_ / (stem + (is_err ? ".stderr" : ".stdout")),
                                     rotation_, clock_)};
  return kept_.emplace(key, std::move(fresh)).first->second;
}

void KeptOutput::take(std::string_view role, const wire::Output& piece) {
  Kept& kept = kept_of(role, piece);
  const uint64_t after = piece.offset + piece.bytes.size();
  if (after <= kept.end) {
    return;
  }
  if (piece.offset > kept.end) {
    const bool line_open = !kept.log.tail().empty() && !kept.log.tail().ends_with('\n');
    kept.log.write(
        fmt::format("{}({} of output left out here: it came too fast; the log on the task's own "
                    "host is complete)\n",
                    line_open ? "\n" : "", format_bytes(piece.offset - kept.end)));
  }
  const uint64_t known = kept.end - std::min(kept.end, piece.offset);
  kept.log.write(std::string_view(piece.bytes).substr(known));
  kept.end = after;
}

}  // namespace muster::app
