#pragma once

#include "scalars/scalar.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::scalars {

/// Reads one event file of TensorBoard ("events.out.tfevents.…") as it grows: records of TFRecord
/// (length, checksum, bytes, checksum), each a tensorflow.Event. Of these it takes the scalars, as
/// `tf.summary.scalar` of TensorFlow 1 and 2 and PyTorch's SummaryWriter write them, and passes
/// over everything else: graphs, images, histograms, texts.
///
/// Any bytes are safe. A record that is cut short waits for its rest; one larger than
/// kRecordBytesMax is passed over without being kept; one whose data has the wrong checksum is
/// passed over and counted. Where the checksum of a length is wrong nothing more can be read.
class EventFile {
 public:
  /// Scalars are small; graphs and images are not.
  static constexpr size_t kRecordBytesMax = 1U << 20U;

  struct Counts {
    uint64_t records = 0;  ///< Whole records so far, whatever they held.
    uint64_t damaged = 0;  ///< Of these: not what their checksum says, or no event.
    uint64_t large = 0;    ///< Of these: passed over for their size.
    uint64_t unnamed = 0;  ///< Scalars whose name cannot be kept (is_name()).
    bool operator==(const Counts&) const = default;
  };

  /// Takes the next bytes of the file and appends the scalars of all records that they complete.
  void take(std::string_view bytes, std::vector<Scalar>& scalars);

  /// Returns why nothing more can be read, with the position in the file; "" while all is well.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }
  [[nodiscard]] const Counts& counts() const { return counts_; }
  /// Bytes taken so far.
  [[nodiscard]] uint64_t size_bytes() const { return size_bytes_; }

 private:
  void take_records(std::vector<Scalar>& scalars);
  void take_event(std::string_view event, std::vector<Scalar>& scalars);
  bool take_summary(std::string_view summary, const Scalar& about, std::vector<Scalar>& scalars);

  std::string kept_;   ///< From the start of the record under way.
  uint64_t skip_ = 0;  ///< Bytes that are still to be passed over.
  uint64_t size_bytes_ = 0;
  Counts counts_;
  std::string trouble_;
};

/// Returns whether a name is that of an event file.
[[nodiscard]] bool is_event_file(std::string_view name);

/// Returns which process wrote an event file, by its name
/// ("events.out.tfevents.1700000000.host.4711.0"), which PyTorch and TensorFlow 2 include. 0 if the
/// name does not say.
[[nodiscard]] int32_t writer_of(std::string_view file_name);

}  // namespace muster::scalars
