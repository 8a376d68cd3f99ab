#pragma once

#include "base/result.h"
#include "rt/async.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cluster {

/// Where the sample files of one job are kept (metrics/retention.h names them): a folder beside its
/// event log. Files only grow by appending. Losing some of them costs curves, never the job, so
/// nobody waits for them. Lives on the loop's thread; nothing here blocks it.
class SampleStore {
 public:
  struct File {
    std::string name;
    uint64_t size_bytes = 0;
  };

  virtual ~SampleStore() = default;
  /// Lists the existing files; none if the folder is missing.
  [[nodiscard]] virtual rt::Async<Result<std::vector<File>>> list() = 0;
  /// Returns a file's content as far as it is visible now.
  [[nodiscard]] virtual rt::Async<Result<std::string>> read(std::string name) = 0;
  /// Appends to a file, which the first call makes. Once it returns, the bytes survive the process.
  /// After an error nothing more may be appended to that file. One call at a time.
  [[nodiscard]] virtual rt::Async<Status> append(std::string name, std::string bytes) = 0;
  /// Removes a file; a missing one is a success.
  [[nodiscard]] virtual rt::Async<Status> remove(std::string name) = 0;
  /// Completes the files that were appended to. Must be the last call.
  [[nodiscard]] virtual rt::Async<Status> close() = 0;
};

/// Far above any sample file; guards a reader's memory.
inline constexpr uint64_t kSampleFileBytesMax = 64U << 20;

}  // namespace muster::cluster
