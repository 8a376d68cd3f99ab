#include "os/file/line_socket.h"

#include "base/check.h"
#include "os/file/path_error.h"
#include "rt/accept_watch.h"
#include "rt/fd.h"
#include "rt/unix_address.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <map>
#include <sys/socket.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace muster::os {
namespace {

constexpr size_t kReportPieceBytes = 64U << 10U;
constexpr int kBacklog = 64;
/// How many pieces of one connection drain() reads: as much as a writer can have left behind.
constexpr int kDrainPieces = 16;
constexpr std::string_view kFolderStart = "muster-report-";
constexpr std::string_view kSocketName = "report";
/// A socket that nobody listens to is left alone for this long: its maker may be about to listen.
constexpr std::chrono::minutes kNewFor{1};

/// The unfinished line of one writer.
class Lines {
 public:
  Lines(size_t line_bytes_max, const TakeLine& take) : max_(line_bytes_max), take_(take) {}

  /// Returns the answers.
  std::string take(std::string_view bytes) {
    std::string answers;
    for (size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
      add(bytes.substr(0, end));
      answers += finish();
      bytes.remove_prefix(end + 1);
    }
    add(bytes);
    return answers;
  }

  std::string finish() {
    const std::string line = std::exchange(line_, {});
    return line.empty() ? "" : take_(line);
  }

 private:
  void add(std::string_view bytes) { line_ += bytes.substr(0, max_ + 1 - line_.size()); }

  size_t max_;
  const TakeLine& take_;
  std::string line_;  ///< At most one byte longer than allowed.
};

bool is_known(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         (peer.uid == ::geteuid() || peer.uid == 0);
}

class UnixLineSocket final : public LineSocket {
 public:
  UnixLineSocket(rt::IoLoop& loop, Path path, Path own_folder, rt::Fd fd, LineSocketOptions options,
                 TakeLine take)
      : loop_(loop),
        path_(std::move(path)),
        own_folder_(std::move(own_folder)),
        fd_(std::move(fd)),
        options_(options),
        take_(std::move(take)),
        coming_(loop, fd_.get(), [this] { accept(); }) {}

  ~UnixLineSocket() override {
    ::unlink(path_.c_str());
    if (!own_folder_.empty()) {
      ::rmdir(own_folder_.c_str());
    }
  }

  [[nodiscard]] const Path& path() const override { return path_; }

  void drain() override {
    accept();
    for (auto next = writers_.begin(); next != writers_.end();) {
      const int fd = (next++)->first;
      for (int piece = 0; piece < kDrainPieces && read(fd); ++piece) {
      }
      if (const auto left = writers_.find(fd); left != writers_.end()) {
        left->second.lines.finish();
      }
    }
  }

 private:
  struct Writer {
    rt::Fd fd;
    Lines lines;
    std::unique_ptr<rt::FdWatch> watch = {};  ///< After fd: it ends before its descriptor closes.
  };

  void accept() {
    while (true) {
      rt::Fd fd(::accept4(fd_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (!fd.valid()) {
        if (errno == EINTR || errno == ECONNABORTED) {
          continue;
        }
        if (errno != EAGAIN) {
          coming_.rest();
        }
        return;
      }
      if (writers_.size() >= options_.connections_max || !is_known(fd.get())) {
        continue;
      }
      const int number = fd.get();
      Writer& writer =
          writers_.emplace(number, Writer{std::move(fd), Lines(options_.line_bytes_max, take_)})
              .first->second;
      writer.watch =
          loop_.watch(number, rt::Interest::Read, [this, number] { (void)read(number); });
    }
  }

  /// Reads a piece; false if there was none. Forgets a writer that has closed.
  bool read(int number) {
    Writer& writer = writers_.at(number);
    std::array<char, kReportPieceBytes> buffer;  // NOLINT: filled by read.
    const ssize_t count = ::read(number, buffer.data(), buffer.size());
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
      return false;
    }
    if (count <= 0) {
      writer.lines.finish();
      writers_.erase(number);
      return false;
    }
    const std::string answers =
        writer.lines.take(std::string_view(buffer.data(), static_cast<size_t>(count)));
    if (!answers.empty()) {
      (void)::send(number, answers.data(), answers.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    return true;
  }

  rt::IoLoop& loop_;
  Path path_;
  Path own_folder_;  ///< Made for the socket alone; empty if there is none.
  rt::Fd fd_;
  LineSocketOptions options_;
  TakeLine take_;
  std::map<int, Writer> writers_;
  rt::AcceptWatch coming_;  ///< Last: it ends before its descriptor closes.
};

struct Place {
  Path path;
  Path own_folder;
};

bool is_mine(const Path& path, mode_t kind, struct stat& found) {
  return ::lstat(path.c_str(), &found) == 0 && (found.st_mode & S_IFMT) == kind &&
         found.st_uid == ::geteuid();
}

/// Returns whether it is this user's socket and nobody has listened to it for a while.
bool is_deserted(const Path& path) {
  struct stat found{};
  const auto address = rt::UnixAddress::of_file(path.native());
  if (!address.has_value() || !is_mine(path, S_IFSOCK, found) ||
      std::chrono::system_clock::now() - std::chrono::system_clock::from_time_t(found.st_mtime) <
          kNewFor) {
    return false;
  }
  const rt::Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  return fd.valid() && ::connect(fd.get(), address->get(), address->size()) != 0 &&
         errno == ECONNREFUSED;
}

/// Removes what killed processes have left behind: nobody else does so on a cluster's hosts.
void remove_deserted(const Path& parent) {
  std::error_code error;
  std::filesystem::directory_iterator entry(parent, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const Path folder = entry->path();
    const Path socket = folder / kSocketName;
    struct stat found{};
    // Nobody else puts anything into a folder of this user.
    if (folder.filename().native().starts_with(kFolderStart) && is_mine(folder, S_IFDIR, found) &&
        is_deserted(socket)) {
      ::unlink(socket.c_str());
      ::rmdir(folder.c_str());
    }
  }
}

Result<Place> place_of(const Path& wanted) {
  if (wanted.native().size() <= rt::UnixAddress::kBytesMax) {
    return Place{wanted, {}};
  }
  remove_deserted("/tmp");
  std::string folder = "/tmp/" + std::string(kFolderStart) + "XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) {
    return path_error(errno, "cannot be made, for a socket,", folder);
  }
  return Place{Path(folder) / kSocketName, folder};
}

}  // namespace

Result<std::unique_ptr<LineSocket>> listen_for_lines(rt::IoLoop& loop, const Path& wanted,
                                                     LineSocketOptions options, TakeLine take) {
  MUSTER_TRY(Place place, place_of(wanted));
  rt::Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) {
    return system_error(errno, "cannot make a socket");
  }
  const auto address = rt::UnixAddress::of_file(place.path.native());
  MUSTER_CHECK(address.has_value(), "place_of() returns what is short enough");
  // The kernel requires write permission of whoever connects, and only this user has it.
  if (::bind(fd.get(), address->get(), address->size()) != 0 ||
      ::chmod(place.path.c_str(), 0600) != 0 || ::listen(fd.get(), kBacklog) != 0) {
    return path_error(errno, "cannot become a socket", place.path);
  }
  return std::make_unique<UnixLineSocket>(loop, std::move(place.path), std::move(place.own_folder),
                                          std::move(fd), options, std::move(take));
}

}  // namespace muster::os
