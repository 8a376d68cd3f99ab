#pragma once

#include "base/result.h"
#include "wire/log_record.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The format of a log segment: an 8-byte magic, then frames of {u32 length, u32 crc32c of the
/// payload, payload}, little-endian. The first frame is the Header, the others are Records. A
/// damaged or torn tail ends the segment there.
namespace muster::eventlog {

/// The first frame of every segment.
using Header = wire::LogHeader;
/// One logged fact. `index` counts from 0 over all segments of a job.
using Record = wire::LogRecord;

inline constexpr std::string_view kMagic = "MUSTERL1";
inline constexpr uint32_t kFormat = 1;
/// What comes before a payload: its length and its checksum.
inline constexpr size_t kFrameHeadBytes = 8;

/// Returns the magic and the header's frame: how a segment begins.
[[nodiscard]] std::string encode_header(const Header& header);
/// Returns one record's frame.
[[nodiscard]] std::string encode_record(const Record& record);

/// A segment as far as it could be read.
struct Segment {
  Header header;
  std::vector<Record> records;
  uint64_t good_bytes = 0;  ///< Where the intact part ends.
  bool torn = false;        ///< Bytes follow that are no intact frame: a write was cut off.
  std::string damage;       ///< For people, when `torn`: what and where.
};

/// Parses a segment from any bytes. Corrupt only if even the header is not intact; Unsupported if
/// this version does not know its format.
[[nodiscard]] Result<Segment> read_segment(std::string_view bytes);

/// A job's log over all its segments: header of the newest epoch, records of all in order. Segments
/// of an older epoch are cut where the next one's records begin (by index).
struct Log {
  Header header;
  std::vector<Record> records;
  std::vector<std::string> damages;  ///< For people: what is missing or damaged, file and offset.
};

}  // namespace muster::eventlog
