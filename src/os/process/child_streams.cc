#include "os/process/child_streams.h"

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <variant>

namespace muster::os {
namespace {

Result<StreamEnds> open_pipe(bool child_reads) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return system_error(errno, "cannot create a pipe for a child process");
  }
  StreamEnds made{.child = rt::Fd(ends[child_reads ? 0 : 1]),
                  .parent = rt::Fd(ends[child_reads ? 1 : 0])};
  ::fcntl(made.parent.get(), F_SETFL, O_NONBLOCK);
  return made;
}

Result<StreamEnds> open_path(const char* path, int flags) {
  StreamEnds ends{.child = rt::Fd(::open(path, flags | O_CLOEXEC, 0644)), .parent = {}};
  if (!ends.child.valid()) {
    return system_error(errno, fmt::format("cannot open {} for a child process", path));
  }
  return ends;
}

}  // namespace

Result<StreamEnds> copy_descriptor(int fd) {
  StreamEnds ends{.child = rt::Fd(::fcntl(fd, F_DUPFD_CLOEXEC, 3)), .parent = {}};
  if (!ends.child.valid()) {
    return system_error(errno, fmt::format("cannot pass descriptor {} to a child process", fd));
  }
  return ends;
}

Result<StreamEnds> open_child_stream(const Stdio& wish, int number) {
  const bool child_reads = number == 0;
  struct Visitor {
    int number;
    bool child_reads;
    Result<StreamEnds> operator()(const ToNull&) const {
      return open_path("/dev/null", child_reads ? O_RDONLY : O_WRONLY);
    }
    Result<StreamEnds> operator()(const ToParent&) const {
      // A daemon may have closed its own, but the child must still have three streams.
      return ::fcntl(number, F_GETFD) < 0 ? (*this)(ToNull{}) : copy_descriptor(number);
    }
    Result<StreamEnds> operator()(const ToFd& to) const { return copy_descriptor(to.fd); }
    Result<StreamEnds> operator()(const ToPipe&) const { return open_pipe(child_reads); }
    Result<StreamEnds> operator()(const ToFile& to) const {
      return open_path(to.path.c_str(), child_reads ? O_RDONLY : O_WRONLY | O_CREAT | O_APPEND);
    }
  };
  return std::visit(Visitor{.number = number, .child_reads = child_reads}, wish);
}

}  // namespace muster::os
