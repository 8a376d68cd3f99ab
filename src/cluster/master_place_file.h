#pragma once

#include "base/result.h"
#include "job/ids.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::cluster {

/// The content of a job's master.json: where the master in charge listens. Written as a whole
/// (0600) when a master takes over. It stays after the master's end, so a reader that gets no
/// answer at that address must read it again.
struct MasterPlaceFile {
  std::string address;  ///< "host:port" of the control channel.
  job::Epoch epoch;
  int32_t pid = 0;
  bool operator==(const MasterPlaceFile&) const = default;
};

/// No file is longer.
inline constexpr uint64_t kMasterPlaceBytesMax = 16U << 10;

/// Returns the file's text:
/// {"schema":"muster.master/1","address":"127.0.0.1:4711","epoch":1,"pid":99}.
[[nodiscard]] std::string to_text(const MasterPlaceFile& file);
/// Reads back what to_text() makes; Corrupt for anything else.
[[nodiscard]] Result<MasterPlaceFile> parse_master_place(std::string_view text);

}  // namespace muster::cluster
