#pragma once

#include "base/result.h"
#include "cluster/log_files.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cluster {

/// A piece of a task's output as the job's master sends it.
struct OutputPiece {
  std::string_view role;
  uint32_t index = 0;
  uint32_t attempt = 0;
  bool is_err = false;
  uint64_t offset = 0;  ///< In the stream, counted from its beginning.
  std::string_view bytes;
};

/// The output of a job's tasks, readable on this host during and after the job. Calls block.
class Outputs {
 public:
  /// What is missing, as text for users; empty if the output is complete so far.
  using Gaps = std::vector<std::string>;

  virtual ~Outputs() = default;
  /// Makes everything written so far readable. Idempotent.
  virtual Result<Gaps> refresh() = 0;
  /// The streams that are readable, by role (in the plan's order), index, attempt, stdout first.
  virtual Result<std::vector<LogStream>> streams() = 0;
  /// At most `limit` bytes of a stream, `from` bytes after the first that is still kept; "" at its
  /// present end.
  virtual Result<std::string> read(const LogStream& stream, uint64_t from, uint64_t limit) = 0;
  /// Returns the folder in which the streams grow on their own as tasks write. nullopt: they grow
  /// by refresh(), and by take() of what the job's master sends.
  [[nodiscard]] virtual std::optional<std::filesystem::path> watched() const = 0;
  /// Appends a piece. What is missing before it is fetched first, and what exists already is
  /// skipped. Does nothing if streams grow on their own.
  virtual Status take(const OutputPiece& piece) = 0;
};

}  // namespace muster::cluster
