#include "cluster/yarn/output/container_log_parser.h"

#include "cluster/yarn/output/tfile.h"

#include <algorithm>
#include <charconv>

namespace muster::cluster::yarn {
namespace {

constexpr uint64_t kKeyBytesMax = 64U << 10;
constexpr size_t kLengthBytes = 2;  // Of a text, preceding it.

Error corrupt_log(const std::string& what) {
  return Error{Errc::Corrupt, Blame::Cluster, "the aggregated logs are damaged: " + what};
}

size_t text_bytes(std::string_view from) {
  return static_cast<size_t>(static_cast<uint8_t>(from[0])) << 8U | static_cast<uint8_t>(from[1]);
}

}  // namespace

Status ContainerLogParser::feed(std::string_view raw) {
  while (!raw.empty()) {
    MUSTER_TRY(const size_t taken, take(raw));
    raw.remove_prefix(taken);
  }
  return {};
}

/// Adds to held_ until it has `wanted` bytes; returns how many it took.
size_t ContainerLogParser::hold(std::string_view raw, size_t wanted) {
  const size_t taken = std::min(raw.size(), wanted - std::min(wanted, held_.size()));
  held_ += raw.substr(0, taken);
  return taken;
}

/// Sets `value` and empties held_ once the number is whole.
size_t ContainerLogParser::take_number(std::string_view raw, int64_t& value) {
  const size_t taken = hold(raw, held_.size() + 1);
  if (const TfileNumber number = parse_tfile_number(held_); number.bytes > 0) {
    value = number.value;
    held_.clear();
    return taken;
  }
  return taken;
}

Result<size_t> ContainerLogParser::take(std::string_view raw) {
  switch (state_) {
    case State::KeyBytes:
      return take_key_length(raw);
    case State::Key:
      return take_key(raw);
    case State::ChunkBytes:
      return take_chunk_length(raw);
    case State::Chunk:
      return take_chunk(raw);
  }
  return bug("no such state");
}

Result<size_t> ContainerLogParser::take_key_length(std::string_view raw) {
  int64_t number = 0;
  const size_t taken = take_number(raw, number);
  if (!held_.empty()) {
    return taken;
  }
  if (number < static_cast<int64_t>(kLengthBytes) || number > static_cast<int64_t>(kKeyBytesMax)) {
    return corrupt_log("a key has " + std::to_string(number) + " bytes");
  }
  remaining_ = static_cast<uint64_t>(number);
  state_ = State::Key;
  return taken;
}

size_t ContainerLogParser::take_key(std::string_view raw) {
  const size_t taken = hold(raw, remaining_);
  if (held_.size() == remaining_) {
    const std::string key = held_.substr(kLengthBytes);
    container_ = key.starts_with("container_") ? key : std::string();
    held_.clear();
    state_ = State::ChunkBytes;
  }
  return taken;
}

size_t ContainerLogParser::take_chunk_length(std::string_view raw) {
  int64_t number = 0;
  const size_t taken = take_number(raw, number);
  if (!held_.empty()) {
    return taken;
  }
  // More chunks follow one with a negative length.
  last_chunk_ = number >= 0;
  remaining_ = static_cast<uint64_t>(number < 0 ? -number : number);
  state_ = State::Chunk;
  if (remaining_ == 0) {
    end_chunk();
  }
  return taken;
}

Result<size_t> ContainerLogParser::take_chunk(std::string_view raw) {
  const auto taken = static_cast<size_t>(std::min<uint64_t>(raw.size(), remaining_));
  MUSTER_TRY_STATUS(take_value(raw.substr(0, taken)));
  remaining_ -= taken;
  if (remaining_ == 0) {
    end_chunk();
  }
  return taken;
}

void ContainerLogParser::end_chunk() {
  state_ = last_chunk_ ? State::KeyBytes : State::ChunkBytes;
  if (last_chunk_) {
    value_state_ = ValueState::Name;
    value_held_.clear();
  }
}

Status ContainerLogParser::take_value(std::string_view bytes) {
  if (container_.empty()) {
    return {};
  }
  while (!bytes.empty()) {
    if (value_state_ != ValueState::Content) {
      MUSTER_TRY(const size_t taken, take_field(bytes));
      bytes.remove_prefix(taken);
      continue;
    }
    const auto taken = static_cast<size_t>(std::min<uint64_t>(bytes.size(), content_left_));
    if (wanted_) {
      MUSTER_TRY_STATUS(sink_->bytes(bytes.substr(0, taken)));
    }
    bytes.remove_prefix(taken);
    content_left_ -= taken;
    value_state_ = content_left_ == 0 ? ValueState::Name : ValueState::Content;
  }
  return {};
}

/// Takes bytes of a file's name or of its length, which is text, too.
Result<size_t> ContainerLogParser::take_field(std::string_view bytes) {
  size_t wanted = kLengthBytes;
  if (value_held_.size() >= kLengthBytes) {
    wanted += text_bytes(value_held_);
  }
  const size_t taken = std::min(bytes.size(), wanted - value_held_.size());
  value_held_ += bytes.substr(0, taken);
  if (value_held_.size() < kLengthBytes ||
      value_held_.size() < kLengthBytes + text_bytes(value_held_)) {
    return taken;
  }
  const std::string text = value_held_.substr(kLengthBytes);
  value_held_.clear();
  if (value_state_ == ValueState::Name) {
    file_ = text;
    value_state_ = ValueState::Length;
    return taken;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), content_left_);
  if (error != std::errc() || end != text.data() + text.size()) {
    return corrupt_log("a file has the length " + text);
  }
  MUSTER_TRY(wanted_, sink_->begin(container_, file_));
  value_state_ = content_left_ == 0 ? ValueState::Name : ValueState::Content;
  return taken;
}

}  // namespace muster::cluster::yarn
