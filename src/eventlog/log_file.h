#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "job/fact.h"
#include "job/ids.h"

/// The format of a log segment: an 8-byte magic, then frames of {u32 length, u32 crc32c of the payload, payload},
/// little-endian. The first frame is the Header, the others are Records. A damaged or torn tail ends the segment there.
namespace muster::eventlog {

/// The first frame of every segment.
struct Header {
  uint32_t format = 1;
  uint32_t machine_version = 0;
  std::string muster_version;
  std::string job_id;
  job::Epoch epoch;
  uint64_t seed = 0;
  WallTime created{};
  std::string plan_json;  ///< The resolved Spec: the Plan is derived from it.
};

/// One logged fact. `index` counts from 0 over all segments of a job.
struct Record {
  uint64_t index = 0;
  Time at{};
  WallTime wall{};
  job::Fact fact;
};

[[nodiscard]] std::string encode_header(const Header& header);
[[nodiscard]] std::string encode_record(const Record& record);

/// A segment as far as it could be read.
struct Segment {
  Header header;
  std::vector<Record> records;
  uint64_t good_bytes = 0;   ///< Where the intact part ends.
  bool torn = false;         ///< Bytes follow that are no intact frame: a write was cut off.
  std::string damage;        ///< For people, when `torn`: what and where.
};

/// Reads a segment from any bytes. Corrupt only if not even the header is intact.
[[nodiscard]] Result<Segment> read_segment(std::string_view bytes);

/// A job's log over all its segments: header of the newest epoch, records of all in order. Segments of an
/// older epoch are cut where the next one's records begin (by index).
struct Log {
  Header header;
  std::vector<Record> records;
  std::vector<std::string> damages;
};

}  // namespace muster::eventlog
