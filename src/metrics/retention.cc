#include "metrics/retention.h"

#include <fmt/format.h>

#include <charconv>

namespace muster::metrics {
namespace {

constexpr std::string_view kEnding = ".samples";

std::string_view word_of(SampleFileName::Kind kind) {
  switch (kind) {
    case SampleFileName::Kind::Seconds:
      return "seconds";
    case SampleFileName::Kind::Minutes:
      return "minutes";
  }
  return "";
}

std::optional<uint32_t> take_number(std::string_view& text) {
  if (!text.starts_with('-')) {
    return std::nullopt;
  }
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  if (error != std::errc() || number == 0) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

}  // namespace

std::string to_string(const SampleFileName& name) {
  return fmt::format("{}-{:06}-{:06}{}", word_of(name.kind), name.epoch, name.sequence, kEnding);
}

std::optional<SampleFileName> parse_sample_file(std::string_view name) {
  for (const auto kind : {SampleFileName::Kind::Seconds, SampleFileName::Kind::Minutes}) {
    if (!name.starts_with(word_of(kind))) {
      continue;
    }
    std::string_view rest = name.substr(word_of(kind).size());
    const std::optional<uint32_t> epoch = take_number(rest);
    const std::optional<uint32_t> sequence = epoch ? take_number(rest) : std::nullopt;
    const SampleFileName parsed{
        .kind = kind, .epoch = epoch.value_or(0), .sequence = sequence.value_or(0)};
    if (sequence && to_string(parsed) == name) {
      return parsed;
    }
  }
  return std::nullopt;
}

void SampleFiles::found(const SampleFileName& name, uint64_t bytes) { files_[name] = bytes; }

std::optional<SampleFileName> SampleFiles::file_for(uint32_t step_s) const {
  switch (step_s) {
    case 1:
      return SampleFileName{SampleFileName::Kind::Seconds, epoch_, seconds_};
    case 60:
      return SampleFileName{SampleFileName::Kind::Minutes, epoch_, minutes_};
    default:
      return std::nullopt;
  }
}

void SampleFiles::appended(const SampleFileName& name, uint64_t bytes) {
  uint64_t& size = files_[name];
  size += bytes;
  if (size >= kFileBytes) {
    broken(name);
  }
}

void SampleFiles::broken(const SampleFileName& name) {
  uint32_t& sequence = name.kind == SampleFileName::Kind::Seconds ? seconds_ : minutes_;
  if (name.epoch == epoch_ && name.sequence == sequence) {
    ++sequence;
  }
}

uint64_t SampleFiles::bytes_of(SampleFileName::Kind kind) const {
  uint64_t sum = 0;
  for (const auto& [name, bytes] : files_) {
    sum += name.kind == kind ? bytes : 0;
  }
  return sum;
}

std::optional<SampleFileName> SampleFiles::take_surplus() {
  for (const auto& [kind, bytes_max] :
       {std::pair{SampleFileName::Kind::Seconds, kSecondsBytesMax},
        std::pair{SampleFileName::Kind::Minutes, kMinutesBytesMax}}) {
    if (bytes_of(kind) <= bytes_max) {
      continue;
    }
    const auto oldest = files_.lower_bound({.kind = kind, .epoch = 0, .sequence = 0});
    const SampleFileName name = oldest->first;
    files_.erase(oldest);
    return name;
  }
  return std::nullopt;
}

}  // namespace muster::metrics
