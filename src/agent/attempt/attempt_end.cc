#include "agent/attempt/attempt_end.h"

#include "base/redaction.h"
#include "base/text.h"

#include <algorithm>

namespace muster::agent {
namespace {

constexpr size_t kEvidenceMax = 4096;

}  // namespace

job::Exit judge(JobContext& job, const TaskRun& run, const TaskRun::Ended& ended, bool stopped) {
  job::Exit exit;
  exit.exit_code = ended.exit.code;
  exit.signal = ended.exit.signal;
  if (!exit.exit_code && !exit.signal) {
    exit.exit_code = 255;  // Somebody else reaped it, so how it ended is unknown.
  }
  exit.over_memory = !ended.memory.text.empty();
  exit.memory_peak_bytes = ended.memory_peak_bytes;
  if (exit.succeeded() && !exit.over_memory) {
    return exit;
  }
  verdict::End end;
  end.exit = exit;
  end.stopped = stopped;
  // Evidence goes into the event log, the summary and onto screens, so it must contain no secret.
  const std::string stdout_tail =
      redact(run.output(wire::OutputStream::Stdout)->tail(), job.secrets());
  std::string stderr_tail = redact(run.output(wire::OutputStream::Stderr)->tail(), job.secrets());
  if (exit.over_memory) {
    // A user's own rule may match it like any other line.
    stderr_tail += "\n" + ended.memory.text + "\n";
  }
  end.stdout_tail = stdout_tail;
  end.stderr_tail = stderr_tail;
  end.python = run.python();
  if (exit.over_memory) {
    exit.failure = job.classifier().judge_by_user(end).value_or(verdict::failure_of(
        ended.memory.of_machine ? "memory.host" : "memory.limit", ended.memory.text));
    return exit;
  }
  exit.failure = job.classifier().classify(end);
  return exit;
}

std::optional<LostOutput> lost_output(const TaskRun& run) {
  LostOutput lost;
  for (const wire::OutputStream stream : {wire::OutputStream::Stdout, wire::OutputStream::Stderr}) {
    const OutputLog& output = *run.output(stream);
    if (output.lost_bytes() > 0) {
      lost.bytes += output.lost_bytes();
      lost.trouble = output.trouble();
    }
  }
  if (lost.bytes == 0) {
    return std::nullopt;
  }
  lost.remark = "(" + format_bytes(lost.bytes) +
                " of its output could not be logged: " + printable(lost.trouble) + ")\n";
  return lost;
}

void add_evidence(job::Failure& failure, const std::string& line) {
  std::string& evidence = failure.evidence;
  evidence.resize(std::min(evidence.size(), kEvidenceMax - std::min(line.size(), kEvidenceMax)));
  evidence += (evidence.empty() || evidence.ends_with('\n') ? "" : "\n") + line;
}

}  // namespace muster::agent
