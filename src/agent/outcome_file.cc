#include "agent/outcome_file.h"

#include "base/text.h"

namespace muster::agent {
namespace {

std::string number_or_null(const std::optional<int32_t>& number) {
  return number ? std::to_string(*number) : "null";
}

}  // namespace

Status write_outcome(os::Files& files, const JobContext& job, const job::AgentReported& report,
                     const std::string& reason) {
  const std::string& container = job.order().container.value;
  std::string text = "{\"container\": " + json_quote(container) +
                     ", \"reason\": " + json_quote(reason) + ", \"attempts\": [";
  bool first = true;
  for (const job::AttemptReport& attempt : report.attempts) {
    if (!attempt.exit) {
      continue;
    }
    text += first ? "" : ", ";
    first = false;
    const std::string failure = attempt.exit->failure ? attempt.exit->failure->class_name : "";
    text += "{\"attempt\": " + json_quote(job.stem_of(attempt.attempt)) +
            ", \"exit_code\": " + number_or_null(attempt.exit->exit_code) +
            ", \"signal\": " + number_or_null(attempt.exit->signal) +
            ", \"class\": " + json_quote(failure) + "}";
  }
  text += "]}\n";
  const std::filesystem::path folder = job.folder().containers();
  MUSTER_TRY_STATUS(files.make_folders(folder, 0700));
  return files.write(folder / (container + ".outcome.json"), text);
}

}  // namespace muster::agent
