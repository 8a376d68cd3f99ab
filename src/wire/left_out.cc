#include "wire/left_out.h"

#include <algorithm>

namespace muster::wire {

void LeftOut::add(uint64_t unseen, std::string_view bytes, size_t keep) {
  bytes_ += unseen + bytes.size();
  if (unseen > 0) {
    last_.clear();
  }
  keep = std::min(keep, kLastBytes);
  last_.append(bytes.substr(bytes.size() - std::min(bytes.size(), keep)));
  last_.erase(0, last_.size() - std::min(last_.size(), keep));
  ends_line_ = bytes.ends_with('\n');
}

Output LeftOut::rest(job::AttemptId attempt, OutputStream stream, uint64_t end) const {
  std::string_view last = last_;
  bool at_line_start = last.empty() && ends_line_;
  const size_t line_end = last.find('\n');
  if (last.size() < bytes_ && line_end != std::string_view::npos && line_end + 1 < last.size()) {
    last.remove_prefix(line_end + 1);  // Its first line is cut off at its start.
    at_line_start = true;
  }
  return {attempt,           stream,       end - last.size(), bytes_ - last.size(),
          std::string(last), at_line_start};
}

}  // namespace muster::wire
