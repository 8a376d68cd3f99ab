#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::metrics {

/// One of a job's sample files. Seconds are kept as long as there is room, minutes for good.
struct SampleFileName {
  enum class Kind : uint8_t { Seconds, Minutes };
  Kind kind = Kind::Seconds;
  uint32_t epoch = 1;     ///< Of the master that writes it.
  uint32_t sequence = 1;  ///< Of its files of that kind.
  auto operator<=>(const SampleFileName&) const = default;
};

/// "seconds-000001-000001.samples"
[[nodiscard]] std::string to_string(const SampleFileName& name);
[[nodiscard]] std::optional<SampleFileName> parse_sample_file(std::string_view name);

/// Which files a job's samples go to, and which make room for them. Pure; one per master.
///
/// A file takes about kFileBytes; then, and after an error, the next one begins. What a job keeps
/// is bounded, however long it runs: 28 MiB of seconds and 64 MiB of minutes, less than 100 MB
/// together, in which a day of 1,000 tasks has room.
class SampleFiles {
 public:
  static constexpr uint64_t kFileBytes = 1U << 20;
  static constexpr uint64_t kSecondsBytesMax = 28U << 20;
  static constexpr uint64_t kMinutesBytesMax = 64U << 20;

  explicit SampleFiles(uint32_t epoch) : epoch_(epoch) {}

  /// Registers a file of an earlier master.
  void found(const SampleFileName& name, uint64_t bytes);
  /// Returns where the next block of a step goes; nullopt for steps that are not kept in files (10
  /// s).
  [[nodiscard]] std::optional<SampleFileName> file_for(uint32_t step_s) const;
  /// Reports how many bytes are in that file now.
  void appended(const SampleFileName& name, uint64_t bytes);
  /// Reports that nothing more can be written to that file.
  void broken(const SampleFileName& name);
  /// Returns the next file that must be removed, if any; it is no longer counted.
  [[nodiscard]] std::optional<SampleFileName> take_surplus();

 private:
  [[nodiscard]] uint64_t bytes_of(SampleFileName::Kind kind) const;

  uint32_t epoch_;
  uint32_t seconds_ = 1;  ///< Sequence of the file being written.
  uint32_t minutes_ = 1;
  std::map<SampleFileName, uint64_t> files_;
};

}  // namespace muster::metrics
