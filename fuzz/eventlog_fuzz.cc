// Segments of an event log from any bytes: what is read is intact, and reading it again after
// writing gives the same.

#include "base/check.h"
#include "eventlog/log_file.h"
#include "eventlog/reader.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using muster::Result;
using namespace muster::eventlog;

namespace {

std::string written(const Segment& segment) {
  std::string bytes = encode_header(segment.header);
  for (const Record& record : segment.records) {
    bytes += encode_record(record);
  }
  return bytes;
}

void read(std::string_view bytes) {
  Result<Segment> segment = read_segment(bytes);
  if (!segment) {
    MUSTER_CHECK(!segment.error().message.empty(), "an error says why");
    return;
  }
  MUSTER_CHECK(segment->good_bytes <= bytes.size(), "no more is read than there is");
  MUSTER_CHECK(segment->torn == (segment->good_bytes < bytes.size()), "a tail is torn or absent");
  const Result<Segment> again = read_segment(written(*segment));
  MUSTER_CHECK(again.has_value() && again->records == segment->records, "a log is read back");
  std::vector<Segment> two{*segment, std::move(*segment)};
  if (const Result<Log> log = join_segments(std::move(two)); !log) {
    MUSTER_CHECK(!log.error().message.empty(), "an error says why");
  }
}

}  // namespace

// Checksums keep a fuzzer out: the second form of each input is a segment whose frames are whole.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  if (const auto record = muster::wire::decode_log_record(bytes)) {
    Header header;
    header.epoch = muster::job::Epoch(1);
    read(encode_header(header) + encode_record(*record));
  }
  if (const auto header = muster::wire::decode_log_header(bytes)) {
    read(encode_header(*header));
  }
  return 0;
}
