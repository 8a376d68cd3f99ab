#include "cluster/folder_logs.h"

#include "cluster/log_files.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::cluster {
namespace {

/// Longer than the longest wait of a reader.
constexpr Duration kWatchFor = std::chrono::seconds(60);

Result<page::LogPiece> read_files(os::Files& files, const std::filesystem::path& path,
                                  page::LogWanted wanted) {
  MUSTER_TRY_STATUS(files.stat(path));
  const LogExtent extent = extent_of_log(files, path);
  const page::LogBounds bounds = page::bounds_of(wanted, extent.begin, extent.end);
  MUSTER_TRY(LogRange got, read_log_range(files, path, bounds.from, bounds.size));
  const uint64_t next = got.offset + got.bytes.size();
  page::LogPiece piece{.from = got.offset,
                       .bytes = std::move(got.bytes),
                       .next = next,
                       .begin = extent.begin,
                       .end = std::max(extent.end, next),
                       .times = {}};
  const LogTimes times = LogTimes::read(files, {.role = {}, .path = path});
  piece.times = times.between(piece.from, next);
  return piece;
}

}  // namespace

FolderLogs::FolderLogs(rt::IoLoop& loop, os::Files& files, std::filesystem::path folder,
                       std::function<void()> grown)
    : loop_(loop), files_(files), folder_(std::move(folder)), grown_(std::move(grown)) {}

FolderLogs::~FolderLogs() { loop_.cancel(unwatch_timer_); }

void FolderLogs::watch() {
  loop_.cancel(unwatch_timer_);
  unwatch_timer_ = loop_.call_after(kWatchFor, [this] { watch_.reset(); });
  if (watch_ == nullptr) {
    auto watched = os::watch_file(loop_, folder_, [this] { grown_(); });
    watch_ = watched.has_value() ? *std::move(watched) : nullptr;
  }
}

rt::Async<Result<page::LogPiece>> FolderLogs::read(page::LogName log, page::LogWanted wanted) {
  watch();
  const auto path = folder_ / fmt::format("{}-{}.{}.{}", log.role, log.index, log.attempt,
                                          log.is_err ? "stderr" : "stdout");
  auto work = [&files = files_, path, wanted] { return read_files(files, path, wanted); };
  co_return co_await rt::run_blocking(loop_, std::move(work));
}

}  // namespace muster::cluster
