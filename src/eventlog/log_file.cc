#include "eventlog/log_file.h"

#include "base/crc32c.h"
#include "eventlog/frame_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::eventlog {
namespace {

void append_little_endian(std::string& out, uint32_t value) {
  for (int byte = 0; byte < 4; ++byte) {
    out += static_cast<char>(value & 0xFF);
    value >>= 8;
  }
}

void append_frame(std::string& out, std::string_view payload) {
  append_little_endian(out, static_cast<uint32_t>(payload.size()));
  append_little_endian(out, crc32c(payload));
  out += payload;
}

Error damaged_log(std::string_view what) {
  return Error{Errc::Corrupt, Blame::Cluster, std::string(what)};
}

/// No record is shorter, with its frame.
constexpr size_t kRecordBytesMin = 16;

/// Returns how many frames there may be, judging only by their lengths.
size_t count_frames(std::string_view bytes) {
  size_t count = 0;
  for (size_t at = 0; at + kFrameHeadBytes <= bytes.size();) {
    uint32_t length = 0;
    for (size_t i = 0; i < sizeof(length); ++i) {
      length |= static_cast<uint32_t>(static_cast<uint8_t>(bytes[at + i])) << (8 * i);
    }
    at += kFrameHeadBytes + length;
    ++count;
  }
  return std::min(count, bytes.size() / kRecordBytesMin);
}

}  // namespace

std::string encode_header(const Header& header) {
  std::string out(kMagic);
  append_frame(out, wire::encode_log_header(header));
  return out;
}

std::string encode_record(const Record& record) {
  std::string out;
  append_frame(out, wire::encode_log_record(record));
  return out;
}

Result<Segment> read_segment(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) {
    return damaged_log("not an event log, or its first bytes are missing");
  }
  FrameReader frames(bytes.substr(kMagic.size()), kMagic.size());
  const std::optional<std::string_view> first = frames.next();
  if (!first) {
    return damaged_log("its header is incomplete");
  }
  Segment segment;
  MUSTER_TRY(segment.header, wire::decode_log_header(*first));
  if (segment.header.format != kFormat) {
    return Error{Errc::Unsupported, Blame::User,
                 fmt::format("its format is {}; this version reads format {}",
                             segment.header.format, kFormat)};
  }
  segment.good_bytes = frames.offset();
  // A record in memory is ten times as long as in a file: do not reserve more than needed.
  segment.records.reserve(count_frames(bytes.substr(segment.good_bytes)));
  while (const std::optional<std::string_view> payload = frames.next()) {
    Result<Record> record = wire::decode_log_record(*payload);
    if (!record) {
      segment.damage = fmt::format("unreadable record at byte {}: {}", segment.good_bytes,
                                   record.error().message);
      break;
    }
    segment.records.push_back(std::move(*record));
    segment.good_bytes = frames.offset();
  }
  if (segment.damage.empty()) {
    segment.damage = frames.damage();
  }
  segment.torn = !segment.damage.empty();
  return segment;
}

}  // namespace muster::eventlog
