#include "scalars/event_file.h"

#include "base/crc32c.h"
#include "base/text.h"
#include "scalars/message.h"
#include "scalars/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>

namespace muster::scalars {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr size_t kLength = sizeof(uint64_t);
constexpr size_t kChecksum = sizeof(uint32_t);
constexpr size_t kHead = kLength + kChecksum;

template <class T>
T load(std::string_view bytes, size_t at = 0) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

/// Returns the plugin that a value's metadata names; "" for none.
std::string_view plugin_of(std::string_view metadata) {
  std::string_view name;
  Message message(metadata);
  while (message.next()) {
    if (message.is(1, Message::Kind::Bytes)) {
      Message plugin(message.bytes());
      while (plugin.next()) {
        name = plugin.is(1, Message::Kind::Bytes) ? plugin.bytes() : name;
      }
    }
  }
  return name;
}

struct Value {
  std::string_view tag;
  std::string_view plugin;
  std::optional<double> number;
};

/// Parses one tensorflow.Summary.Value; nullopt if it is damaged.
std::optional<Value> value_of(std::string_view bytes) {
  constexpr uint64_t kTag = 1;
  constexpr uint64_t kSimpleValue = 2;
  constexpr uint64_t kTensor = 8;
  constexpr uint64_t kMetadata = 9;
  Value value;
  Message message(bytes);
  while (message.next()) {
    if (message.is(kTag, Message::Kind::Bytes)) {
      value.tag = message.bytes();
    } else if (message.is(kSimpleValue, Message::Kind::Fixed32)) {
      value.number = load<float>(message.bytes());
    } else if (message.is(kTensor, Message::Kind::Bytes)) {
      value.number = scalar_of_tensor(message.bytes());
    } else if (message.is(kMetadata, Message::Kind::Bytes)) {
      value.plugin = plugin_of(message.bytes());
    }
  }
  return message.damaged() ? std::nullopt : std::optional<Value>(value);
}

}  // namespace

void EventFile::take(std::string_view bytes, std::vector<Scalar>& scalars) {
  size_bytes_ += bytes.size();
  if (!trouble_.empty()) {
    return;
  }
  const size_t skipped = std::min<uint64_t>(skip_, bytes.size());
  skip_ -= skipped;
  kept_ += bytes.substr(skipped);
  take_records(scalars);
}

void EventFile::take_records(std::vector<Scalar>& scalars) {
  size_t used = 0;
  while (kept_.size() - used >= kHead) {
    const std::string_view left = std::string_view(kept_).substr(used);
    const auto size = load<uint64_t>(left);
    if (load<uint32_t>(left, kLength) != masked_crc32c(left.substr(0, kLength))) {
      trouble_ = fmt::format("not a TFRecord at byte {}: the checksum of its length does not match",
                             size_bytes_ - left.size());
      kept_.clear();
      return;
    }
    if (size > kRecordBytesMax) {
      ++counts_.records;
      ++counts_.large;
      // A length near the largest number would wrap: such a record never ends, and everything else
      // is skipped.
      const uint64_t rest = size > UINT64_MAX - kChecksum ? UINT64_MAX : size + kChecksum;
      const uint64_t here = std::min<uint64_t>(rest, left.size() - kHead);
      skip_ = rest - here;
      used += kHead + here;
      continue;
    }
    if (left.size() < kHead + size + kChecksum) {
      break;
    }
    const std::string_view event = left.substr(kHead, size);
    ++counts_.records;
    if (load<uint32_t>(left, kHead + size) == masked_crc32c(event)) {
      take_event(event, scalars);
    } else {
      ++counts_.damaged;
    }
    used += kHead + size + kChecksum;
  }
  kept_.erase(0, used);
}

void EventFile::take_event(std::string_view event, std::vector<Scalar>& scalars) {
  constexpr uint64_t kWallTime = 1;
  constexpr uint64_t kStep = 2;
  constexpr uint64_t kSummary = 5;
  Scalar about;
  std::string_view summary;
  Message message(event);
  while (message.next()) {
    if (message.is(kWallTime, Message::Kind::Fixed64)) {
      about.at = wall_time_of(load<double>(message.bytes()));
    } else if (message.is(kStep, Message::Kind::Varint)) {
      about.step = static_cast<int64_t>(message.number());
    } else if (message.is(kSummary, Message::Kind::Bytes)) {
      summary = message.bytes();
    }
  }
  // Step 0 is not written: it is what a message without the field means.
  about.step = about.step.value_or(0);
  if (message.damaged() || !take_summary(summary, about, scalars)) {
    ++counts_.damaged;
  }
}

bool EventFile::take_summary(std::string_view summary, const Scalar& about,
                             std::vector<Scalar>& scalars) {
  constexpr uint64_t kValue = 1;
  Message message(summary);
  while (message.next()) {
    if (!message.is(kValue, Message::Kind::Bytes)) {
      continue;
    }
    const std::optional<Value> value = value_of(message.bytes());
    if (!value) {
      return false;
    }
    if (!value->number || (!value->plugin.empty() && value->plugin != "scalars")) {
      continue;
    }
    if (!is_name(value->tag)) {
      ++counts_.unnamed;
      continue;
    }
    Scalar& scalar = scalars.emplace_back(about);
    scalar.name = value->tag;
    scalar.value = *value->number;
  }
  return !message.damaged();
}

bool is_event_file(std::string_view name) {
  return name.find("tfevents.") != std::string_view::npos;
}

int32_t writer_of(std::string_view file_name) {
  // events.out.tfevents.SECONDS.HOST.PID.NUMBER[.v2]; a host's name may have dots.
  std::vector<std::string_view> parts = split(file_name, '.');
  if (!parts.empty() && parts.back() == "v2") {
    parts.pop_back();
  }
  if (parts.size() < 7) {
    return 0;
  }
  const std::string_view text = parts[parts.size() - 2];
  int32_t pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  return error == std::errc() && end == text.data() + text.size() && pid > 0 ? pid : 0;
}

}  // namespace muster::scalars
