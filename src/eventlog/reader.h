#pragma once

#include "base/result.h"
#include "eventlog/log_file.h"
#include "eventlog/segment_store.h"

namespace muster::eventlog {

/// Reads the whole log of a job: of an ended one, or of a running one as far as it is visible.
///
/// A torn tail is normal after a crash: what is intact counts, and `damages` says what was left
/// out. A segment whose header is not intact holds nothing (its master died while creating it)
/// unless it is the only one. Errors: NotFound without any segment; Corrupt when no header is
/// intact or records are missing between segments.
[[nodiscard]] Result<Log> read_log(SegmentStore& store);

/// Joins segments (ascending by epoch). Exposed for tests and other sources of segments.
[[nodiscard]] Result<Log> join_segments(std::vector<Segment> segments);

}  // namespace muster::eventlog
