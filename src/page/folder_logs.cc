#include "page/folder_logs.h"

#include "rt/wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::page {
namespace {

/// Longer than the longest wait of a reader.
constexpr Duration kWatchFor = std::chrono::seconds(60);

Result<LogPiece> read_file(os::Files& files, const std::filesystem::path& path,
                           std::optional<uint64_t> from) {
  MUSTER_TRY(const os::FileStat stat, files.stat(path));
  const uint64_t size = stat.size_bytes;
  const uint64_t tail = size - std::min(size, kLogPieceMax);
  // A file that is shorter than what was read of it has rotated away.
  uint64_t begin = from.value_or(tail);
  begin = begin > size ? 0 : begin;
  LogPiece piece{.from = begin, .bytes = {}, .next = begin};
  MUSTER_TRY(piece.bytes, files.read_part(path, begin, kLogPieceMax));
  piece.next = begin + piece.bytes.size();
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

rt::Async<Result<LogPiece>> FolderLogs::read(LogName log, std::optional<uint64_t> from) {
  watch();
  const auto path = folder_ / fmt::format("{}-{}.{}.{}", log.role, log.index, log.attempt,
                                          log.is_err ? "stderr" : "stdout");
  auto work = [&files = files_, path, from] { return read_file(files, path, from); };
  co_return co_await rt::run_blocking(loop_, std::move(work));
}

}  // namespace muster::page
