#include "fs/copy.h"

#include "base/text.h"
#include "fs/verbs.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <unistd.h>
#include <utility>

namespace muster::fs {
namespace {

namespace hdfs = hadoop::hdfs;

constexpr Duration kRedraw = std::chrono::milliseconds(100);
constexpr size_t kPieceBytes = 1U << 20;
constexpr int kStandardOutput = 1;
constexpr size_t kBarCells = 20;

Status write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EPIPE) {
      return user_error("standard output was closed", Errc::Cancelled);
    }
    if (written < 0 && errno != EINTR) {
      return system_error(errno, "cannot write to standard output");
    }
    bytes.remove_prefix(written < 0 ? 0 : static_cast<size_t>(written));
  }
  return {};
}

Result<std::string> read_piece(int fd) {
  std::string piece(kPieceBytes, '\0');
  size_t size = 0;
  while (size < piece.size()) {
    const ssize_t count = ::read(fd, piece.data() + size, piece.size() - size);
    if (count == 0) {
      break;
    }
    if (count < 0 && errno != EINTR) {
      return system_error(errno, "cannot read standard input");
    }
    size += count < 0 ? 0 : static_cast<size_t>(count);
  }
  piece.resize(size);
  return piece;
}

}  // namespace

void CopyProgress::begin(std::string name, uint64_t size_bytes) {
  name_ = std::move(name);
  size_bytes_ = size_bytes;
  done_bytes_ = 0;
  begun_ = session_->loop().now();
  drawn_ = begun_;
}

void CopyProgress::add(uint64_t bytes) {
  done_bytes_ += bytes;
  const HostTime now = session_->loop().now();
  if (now - drawn_ >= kRedraw && !session_->options().quiet) {
    drawn_ = now;
    draw();
  }
}

void CopyProgress::draw() {
  const double seconds = std::chrono::duration<double>(drawn_ - begun_).count();
  const auto rate = static_cast<uint64_t>(static_cast<double>(done_bytes_) / seconds);
  std::string bar;
  std::string of;
  if (size_bytes_ > 0) {
    const auto full = std::min<size_t>(
        kBarCells, static_cast<size_t>(static_cast<double>(done_bytes_) * kBarCells /
                                       static_cast<double>(size_bytes_)));
    bar = fmt::format("[{:<{}}] ", std::string(full, '#'), kBarCells);
    of = " of " + format_bytes(size_bytes_);
  }
  session_->terminal().status(fmt::format("{} {}{}: {}{}, {}/s", verb_, bar, printable(name_),
                                          format_bytes(done_bytes_), of, format_bytes(rate)));
}

rt::Async<Status> write_fd(rt::Loop* loop, int fd, std::string_view bytes) {
  // The view stays valid: a command is never destroyed while it writes.
  co_return co_await rt::run_blocking(*loop, [fd, bytes] { return write_all(fd, bytes); });
}

rt::Async<Result<std::string>> read_fd(rt::Loop* loop, int fd) {
  co_return co_await rt::run_blocking(*loop, [fd] { return read_piece(fd); });
}

rt::Async<Status> cat_file(Session* session, hdfs::FileSystem* fs, std::string path) {
  rt::Loop* loop = &session->loop();
  const hdfs::Sink sink = [loop](std::string_view piece) {
    return write_fd(loop, kStandardOutput, piece);
  };
  co_return co_await hdfs::read_to(fs, std::move(path), {}, sink);
}

rt::Async<> cat(Session* session) { return cat_paths(session, session->options().paths); }

rt::Async<> cat_paths(Session* session, std::vector<std::string> paths) {
  for (const std::string& argument : paths) {
    Result<Matches> matches = co_await find_matches(session, argument);
    if (!matches.has_value()) {
      session->fail(matches.error());
      continue;
    }
    for (const hdfs::Found& found : matches->found) {
      if (found.status.type == hdfs::FileType::Folder) {
        session->fail(user_error(fmt::format("{} is a folder", printable(found.path))));
        continue;
      }
      const Status written = co_await cat_file(session, matches->place.fs, found.path);
      if (!written.has_value() && written.error().code == Errc::Cancelled) {
        co_return;  // The reader has closed the pipe, as `head` does once it has enough.
      }
      if (!written.has_value()) {
        session->fail(written.error());
      }
    }
  }
}

}  // namespace muster::fs
