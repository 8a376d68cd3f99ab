#include "client/run_events.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::client {
namespace {

constexpr size_t kOutputLineMax = 1U << 20;

std::string quote_or_null(const std::string& text) {
  return text.empty() ? "null" : json_quote(text);
}

}  // namespace

void RunEvents::print(std::string_view event, std::string_view members) {
  console_.out(fmt::format("{{\"event\":\"{}\",\"time\":{}{}}}\n", event,
                           json_quote(format_iso(clock_())), members));
}

void RunEvents::submitted(const Submission& submission) {
  print("submitted",
        fmt::format(R"(,"schema":"muster.run/1","job":{},"application_id":{},"on":{},"page":{})",
                    json_quote(submission.job_id), quote_or_null(submission.application_id),
                    json_quote(submission.on), quote_or_null(submission.page)));
}

void RunEvents::phase(std::string_view phase) {
  print("phase", fmt::format(R"(,"phase":{})", json_quote(phase)));
}

void RunEvents::told(std::string_view text) {
  print("told", fmt::format(R"(,"text":{})", json_quote(text)));
}

void RunEvents::output(const job::Plan& plan, const StreamId& stream, std::string_view bytes) {
  std::string& partial = partials_[stream];
  while (!bytes.empty()) {
    const size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string_view piece = bytes.substr(0, std::min(end, kOutputLineMax - partial.size()));
    partial += piece;
    bytes.remove_prefix(piece.size());
    const bool whole = !bytes.empty() && bytes.front() == '\n';
    if (whole || partial.size() == kOutputLineMax) {
      print_line(plan, stream, partial);
      partial.clear();
      bytes.remove_prefix(whole ? 1 : 0);
    }
  }
}

void RunEvents::finish_output(const job::Plan& plan) {
  for (const auto& [stream, partial] : partials_) {
    if (!partial.empty()) {
      print_line(plan, stream, partial);
    }
  }
  partials_.clear();
}

void RunEvents::print_line(const job::Plan& plan, const StreamId& stream, std::string_view line) {
  print("output", fmt::format(R"(,"task":{},"attempt":{},"stream":"{}","line":{})",
                              json_quote(to_string(plan, stream.first.task)), stream.first.number,
                              stream.second == wire::OutputStream::Stderr ? "stderr" : "stdout",
                              json_quote(line)));
}

void RunEvents::ended(std::string_view status) {
  while (status.ends_with('\n')) {
    status.remove_suffix(1);
  }
  print("ended", fmt::format(R"(,"status":{})", status.empty() ? "null" : status));
}

}  // namespace muster::client
