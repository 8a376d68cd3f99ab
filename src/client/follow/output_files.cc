#include "client/follow/output_files.h"

#include "base/text.h"

namespace muster::client {
namespace {

/// Memory of this size is reused for the next piece; larger pieces are cleared by the kernel each
/// time (keep_freed_memory() in app/main.cc).
constexpr uint64_t kPieceBytes = 256U << 10;

}  // namespace

Status OutputFiles::open() {
  if (outputs_ == nullptr) {
    MUSTER_TRY_STATUS(cluster_.fetch(folder_, cluster::FetchUntil::Now));
    MUSTER_TRY(outputs_, cluster_.outputs(folder_, {}));
  }
  return {};
}

/// Only once when the job has ended: what could not be brought then will not come.
Status OutputFiles::bring() {
  if (end_brought_) {
    return {};
  }
  if (ended_) {
    end_brought_ = true;
    MUSTER_TRY_STATUS(cluster_.fetch(folder_, cluster::FetchUntil::End));
  }
  MUSTER_TRY(const cluster::Outputs::Gaps gaps, outputs_->refresh());
  return gaps.empty() ? Status() : Status(cluster_error(join(gaps, "; ")));
}

Result<cluster::LogRange> OutputFiles::read(const cluster::LogStream& stream, uint64_t offset) {
  const std::scoped_lock lock(turn_);
  MUSTER_TRY_STATUS(open());
  const std::filesystem::path path =
      folder_.logs() /
      (cluster::JobFolder::attempt_stem(stream.role, stream.index, stream.attempt) +
       (stream.is_err ? ".stderr" : ".stdout"));
  Result<cluster::LogRange> range = cluster::read_log_range(files_, path, offset, kPieceBytes);
  if (!range || !range->bytes.empty() || outputs_->watched()) {
    return range;
  }
  const Status brought = bring();
  range = cluster::read_log_range(files_, path, offset, kPieceBytes);
  return range && range->bytes.empty() && !brought ? brought.error() : range;
}

std::vector<cluster::LogStream> OutputFiles::here(const std::vector<std::string>& roles) {
  const std::scoped_lock lock(turn_);
  if (cluster_.traits().remote || !open() || !outputs_->watched()) {
    return {};
  }
  return cluster::list_logs(files_, folder_.logs(), roles)
      .value_or(std::vector<cluster::LogStream>());
}

}  // namespace muster::client
