#pragma once

#include "base/result.h"
#include "base/time.h"
#include "rt/fd.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace muster::cluster::local {

/// What this machine can give to all jobs of all users together.
struct Capacity {
  uint64_t memory_bytes = 0;
  uint32_t cores = 1;
  uint32_t gpus = 0;
  bool strict_vcores = false;  ///< Virtual cores are a hard limit, too, for the requesting job.
};

/// One container's share of this machine.
struct Share {
  uint64_t memory_bytes = 0;
  uint32_t vcores = 0;
  uint32_t gpus = 0;
};

/// A share that is wanted, and the name for it.
struct Wanted {
  std::string job;
  std::string container;
  Share share;
};

/// A share that was taken. It is ours as long as any process holds `lock` (an open file
/// description: children that inherit it hold it, too).
struct Claim {
  rt::Fd lock;
  std::filesystem::path file;
  std::vector<uint32_t> gpus;  ///< Indices.
};

/// Somebody's share, as stated in its claim file. Written by other users: only for sums and for
/// display.
struct Held {
  uint32_t owner = 0;  ///< User id, from the file system.
  std::string job;     ///< Printable, at most 64 bytes.
  uint64_t memory_bytes = 0;
  uint32_t vcores = 0;
  std::vector<uint32_t> gpus;
};

/// A job that has nothing yet and is waiting for its share.
struct Waiting {
  Held what;
  Duration waited{};
};

/// Who uses how much of this machine, without a daemon: each user has a folder of claims that all
/// can read (user_folders.h), with one locked file for each container. The kernel lets a lock go
/// with the last process that holds it, however that ends.
///
/// There is no lock that a user could keep from another. One user's jobs take their claims one
/// after the other; against those of others a job writes its claims, looks again, and takes them
/// back if others had claimed the same before. So no two jobs get the same memory or GPU. Other
/// users can at worst claim what they do not use; what their files say is bounded by what this
/// machine has.
///
/// Stateless; calls block for as long as another job of this user takes its claims (at most 5 s),
/// and may be made on any thread.
class ClaimFolder {
 public:
  /// `stem`: the prefix of all users' folder names; the folder that contains them is sticky and
  /// open to all users, or this user's own.
  explicit ClaimFolder(std::filesystem::path stem) : stem_(std::move(stem)) {}

  /// The stem of this machine: all users must agree on it.
  static std::filesystem::path default_folder() { return "/tmp/muster-claims"; }

  /// Makes this user's folder if it is missing.
  [[nodiscard]] Status open() const;
  /// Takes all of `wanted`, for one job, or nothing. Unavailable: not now; the message says what is
  /// missing and who has it, or whose turn it is.
  [[nodiscard]] Result<std::vector<Claim>> take(const Capacity& capacity,
                                                std::span<const Wanted> wanted) const;
  /// Stands in line for all of `wanted`, for one job, as long as the result lives: later arrivals
  /// respect its turn. Its file should be removed by its owner, or is swept later.
  [[nodiscard]] Result<Claim> queue(std::span<const Wanted> wanted) const;
  /// Lists the claims that are held now.
  [[nodiscard]] Result<std::vector<Held>> list(const Capacity& capacity) const;
  /// Returns whether some process still holds the claim of that file.
  [[nodiscard]] static bool is_held(const std::filesystem::path& file);

  /// The folders of all users, in which claims change.
  [[nodiscard]] std::vector<std::filesystem::path> folders() const;

 private:
  struct Scan;
  [[nodiscard]] Scan scan(const Capacity& capacity, bool sweep) const;
  [[nodiscard]] bool is_taken_already(const Capacity& capacity, std::span<const Wanted> wanted,
                                      std::span<const Claim> claims) const;

  std::filesystem::path stem_;
};

/// Returns in words why `wanted` does not fit beside `held` now; "" if it does.
[[nodiscard]] std::string missing_now(const Capacity& capacity, std::span<const Held> held,
                                      std::span<const Wanted> wanted);

/// Returns in words whose turn it is before `wanted`, of one job; "" if it may go now.
///
/// A large share would wait for ever behind many small ones that come and go. So a job that has
/// waited for kTurnAfter holds back jobs in its way that have nothing yet and came later; but only
/// every other kTurn, because what it waits for may be held for days.
[[nodiscard]] std::string missing_turn(const Capacity& capacity, std::span<const Held> held,
                                       std::span<const Waiting> waiting,
                                       std::span<const Wanted> wanted);
inline constexpr Duration kTurnAfter = std::chrono::seconds(30);
inline constexpr Duration kTurn = std::chrono::minutes(10);

/// Returns in words why `share` can never fit on this machine; "" if it can.
[[nodiscard]] std::string missing_ever(const Capacity& capacity, const Share& share);

}  // namespace muster::cluster::local
