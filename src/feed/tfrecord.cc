#include "feed/tfrecord.h"

#include "base/crc32c.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace muster::feed {
namespace {

static_assert(std::endian::native == std::endian::little);

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

template <class T>
T load(std::string_view text, size_t at) {
  T value;
  std::memcpy(&value, text.data() + at, sizeof(value));
  return value;
}

Error damaged_record(size_t at, std::string_view what) {
  return {.code = Errc::Corrupt,
          .blame = Blame::User,
          .message = fmt::format("not a TFRecord at byte {}: {}", at, what)};
}

}  // namespace

void append_record(std::string& file, std::string_view record) {
  const uint64_t size = record.size();
  const std::string_view length = bytes_of(size);
  file.reserve(file.size() + record.size() + kRecordOverhead);
  file.append(length);
  file.append(bytes_of(masked_crc32c(length)));
  file.append(record);
  file.append(bytes_of(masked_crc32c(record)));
}

Result<Records> split_records(std::string_view text) {
  constexpr size_t kHead = sizeof(uint64_t) + sizeof(uint32_t);
  Records result;
  while (text.size() - result.used >= kHead) {
    const size_t at = result.used;
    const auto size = load<uint64_t>(text, at);
    if (load<uint32_t>(text, at + sizeof(uint64_t)) !=
        masked_crc32c(text.substr(at, sizeof(uint64_t)))) {
      return damaged_record(at, "the checksum of its length does not match");
    }
    const size_t left = text.size() - at - kHead;
    if (left < sizeof(uint32_t) || size > left - sizeof(uint32_t)) {
      break;
    }
    const std::string_view record = text.substr(at + kHead, size);
    if (load<uint32_t>(text, at + kHead + size) != masked_crc32c(record)) {
      return damaged_record(at, "the checksum of its data does not match");
    }
    result.records.push_back(record);
    result.used = at + kRecordOverhead + size;
  }
  return result;
}

}  // namespace muster::feed
