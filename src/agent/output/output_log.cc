#include "agent/output/output_log.h"

#include <algorithm>
#include <utility>

namespace muster::agent {
namespace {

constexpr uint64_t kPartBytesMin = 4096;

}  // namespace

OutputLog::OutputLog(os::Files& files, std::filesystem::path path, Rotation rotation, Clock clock)
    : files_(files),
      path_(std::move(path)),
      rotation_(rotation),
      clock_(std::move(clock)),
      times_(files, std::filesystem::path(path_) += ".times") {
  rotation_.keep = std::max(rotation_.keep, 1U);
  (void)open();  // A failure is reported once there is something to write.
}

bool OutputLog::open() {
  auto opened = files_.open_append(path_);
  if (!opened.has_value()) {
    trouble_ = opened.error().message;
    return false;
  }
  file_ = std::move(*opened);
  return true;
}

void OutputLog::write(std::string_view bytes, bool turned) {
  size_ += bytes.size();
  tail_.append(bytes.substr(bytes.size() - std::min(bytes.size(), kTailBytes)));
  if (tail_.size() > 2 * kTailBytes) {
    tail_.erase(0, tail_.size() - kTailBytes);
  }
  const uint64_t part_bytes = std::max(rotation_.bytes_max / rotation_.keep, kPartBytesMin);
  while (!bytes.empty()) {
    const uint64_t filled = file_ ? file_->size_bytes() : 0;
    if (filled >= part_bytes) {
      rotate();
      continue;
    }
    const size_t length =
        static_cast<size_t>(std::min<uint64_t>(bytes.size(), part_bytes - filled));
    write_part(bytes.substr(0, length), turned);
    bytes.remove_prefix(length);
  }
}

void OutputLog::write_part(std::string_view bytes, bool turned) {
  if (!file_ && !open()) {
    lost_ += bytes.size();
    return;
  }
  if (const Status written = file_->append(bytes); !written.has_value()) {
    lost_ += bytes.size();
    trouble_ = written.error().message;
    return;
  }
  times_.note(kept_, clock_(), turned);
  kept_ += bytes.size();
}

void OutputLog::rotate() {
  file_.reset();
  Status moved;
  if (rotation_.keep == 1) {
    moved = files_.remove(path_);
  }
  for (uint32_t number = rotation_.keep - 1; number >= 1 && moved.has_value(); --number) {
    if (files_.exists(part(number - 1))) {
      moved = files_.rename(part(number - 1), part(number));
    }
  }
  if (!moved.has_value()) {
    // The newest part could not be moved aside, but exceeding its size is better than losing it.
    trouble_ = moved.error().message;
    return;
  }
  parts_ = std::min(parts_ + 1, rotation_.keep);
  times_.begin_part(kept_, clock_(), parts_);
}

std::filesystem::path OutputLog::part(uint32_t number) const {
  std::filesystem::path path = path_;
  if (number > 0) {
    path += "." + std::to_string(number);
  }
  return path;
}

std::string_view OutputLog::tail() const {
  return std::string_view(tail_).substr(tail_.size() - std::min(tail_.size(), kTailBytes));
}

}  // namespace muster::agent
