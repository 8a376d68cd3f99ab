#pragma once

#include "base/result.h"
#include "base/time.h"
#include "job/fact.h"
#include "job/ids.h"

#include <cstdint>
#include <string>
#include <string_view>

/// What a log segment holds (proto/muster/event/v1/log.proto), as plain values. The framing around
/// it is eventlog's.
namespace muster::wire {

/// The first frame of every segment.
struct LogHeader {
  uint32_t format = 1;
  uint32_t machine_version = 0;
  std::string muster_version;
  std::string job_id;
  job::Epoch epoch;
  uint64_t seed = 0;
  WallTime created{};
  std::string plan_json;  ///< The resolved Spec: the Plan is derived from it.
  bool operator==(const LogHeader&) const = default;
};

/// One logged fact. `index` counts from 0 over all segments of a job.
struct LogRecord {
  uint64_t index = 0;
  Time at{};
  WallTime wall{};
  job::Fact fact;
  bool operator==(const LogRecord&) const = default;
};

[[nodiscard]] std::string encode_log_header(const LogHeader& header);
[[nodiscard]] std::string encode_log_record(const LogRecord& record);

/// Any bytes are safe; Corrupt for what is damaged.
[[nodiscard]] Result<LogHeader> decode_log_header(std::string_view bytes);
[[nodiscard]] Result<LogRecord> decode_log_record(std::string_view bytes);

}  // namespace muster::wire
