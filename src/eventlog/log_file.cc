#include "eventlog/log_file.h"

#include "base/crc32c.h"
#include "eventlog/frame_reader.h"

#include <fmt/format.h>

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
