#pragma once

#include "base/result.h"
#include "job/failure.h"
#include "os/file/files.h"
#include "spec/settings.h"

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace muster::agent {

/// Unpacks an archive into an existing folder; modes are kept. Blocks.
using Unpacker = std::function<Status(const std::filesystem::path& archive,
                                      const std::filesystem::path& folder)>;

/// The real one: tar, and for .zip unzip or python3.
[[nodiscard]] Unpacker make_unpacker();

/// Puts the `files:` of a spec and its Python environment where tasks find them. Blocking: used on
/// pool threads only.
///
/// A file or folder of this host is copied, with modes and times, so that a task neither changes
/// the user's own file nor sees it change while it runs. What is larger than kCopyBytesMax is
/// linked instead: data sets are read in place. Archives are unpacked into a folder of their name
/// without the ending. A source that is not absolute is one that the cluster has put into the
/// agent's own folder.
class Placement {
 public:
  /// A stop request makes place() stop between two files.
  Placement(os::Files& files, Unpacker unpack, std::stop_token stop)
      : files_(files), unpack_(std::move(unpack)), stop_(std::move(stop)) {}

  /// Places everything into `folder`, which exists and belongs to the task. Stops at the first
  /// error, whose blame says whose fault it is.
  [[nodiscard]] Status place(const std::vector<spec::File>& wanted,
                             const std::filesystem::path& folder);

  /// Makes the environment ready below `folder` (unpacked once; later calls find it) and returns
  /// the folder to put first on PATH: that of the interpreter. Empty if `python` names neither
  /// environment nor interpreter.
  [[nodiscard]] Result<std::filesystem::path> place_python(const spec::Python& python,
                                                           const std::filesystem::path& folder);

  static constexpr uint64_t kCopyBytesMax = 64ULL << 20;
  static constexpr size_t kCopyEntriesMax = 10'000;

 private:
  Status place_one(const spec::File& file, const std::filesystem::path& folder);
  Status unpack_into(const std::filesystem::path& archive, const std::filesystem::path& target);
  /// Returns whether `path` with all below it is small enough to be copied.
  [[nodiscard]] bool small(const std::filesystem::path& path);

  os::Files& files_;
  Unpacker unpack_;
  std::stop_token stop_;
};

/// The failure class of an attempt whose ports were taken by another process.
inline constexpr std::string_view kPortInUse = "port.in_use";

/// Returns the failure of an attempt that could not be prepared because of `error`.
[[nodiscard]] job::Failure preparation_failure(const Error& error);

}  // namespace muster::agent
