#include "feed/segment.h"

#include "feed/layout.h"
#include "feed/memory_room.h"

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

#ifndef F_ADD_SEALS
#define F_ADD_SEALS 1033
#define F_SEAL_SEAL 0x0001
#define F_SEAL_SHRINK 0x0002
#define F_SEAL_GROW 0x0004
#endif

namespace muster::feed {
namespace {

int make_memfd() {
  // By number: the oldest C library that the feed runs on has no wrapper for it.
  return static_cast<int>(
      ::syscall(SYS_memfd_create, "muster-feed", MFD_CLOEXEC | MFD_ALLOW_SEALING));
}

int make_unlinked_file(const std::string& folder) {
  std::string path = folder + "/.muster-feed-XXXXXX";
  const int fd = ::mkostemp(path.data(), O_CLOEXEC);
  if (fd >= 0) {
    ::unlink(path.c_str());
  }
  return fd;
}

/// Not posix_fallocate: if the file system cannot do it, that writes every page itself and cannot
/// be interrupted; here the caller is told.
int reserve(int fd, size_t bytes) {
  for (;;) {
    if (::fallocate(fd, 0, 0, static_cast<off_t>(bytes)) == 0) {
      return 0;
    }
    if (errno != EINTR) {
      return errno;
    }
  }
}

}  // namespace

Result<Segment> Segment::create(size_t bytes, const std::string& folder) {
  bytes = (bytes + kPage - 1) / kPage * kPage;
  // Reserving a memfd takes pages until none are left, and the kernel then kills any process: ask
  // for at most half of what is free.
  const uint64_t room = memory_room() / 2;
  int fd = bytes <= room ? make_memfd() : -1;
  if (fd >= 0 && reserve(fd, bytes) == 0) {
    // The peer gets the descriptor: neither side may take the pages away from the other.
    ::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    // The pages exist: mapping all at once costs less than a fault for each.
    return map(fd, bytes, false, true);
  }
  if (fd >= 0) {
    ::close(fd);
  }
  fd = make_unlinked_file(folder);
  if (fd < 0) {
    return system_error(
        errno, fmt::format("cannot create the feed's shared memory as a file in {}", folder));
  }
  if (const int failed = reserve(fd, bytes); failed != 0) {
    ::close(fd);
    Error error = system_error(failed, fmt::format("cannot reserve {} bytes for the feed, neither "
                                                   "in memory (at most {} bytes now) nor in {}",
                                                   bytes, room, folder));
    error.code = Errc::OutOfSpace;
    return error;
  }
  return map(fd, bytes, true, false);
}

Result<Segment> Segment::adopt(int fd, size_t least) {
  // Not fstat: it is newer than the oldest C library that the feed runs on.
  const off_t end = ::lseek(fd, 0, SEEK_END);
  if (end < 0) {
    const int failed = errno;
    ::close(fd);
    return system_error(failed, "cannot inspect the feed's shared memory");
  }
  const auto bytes = static_cast<size_t>(end);
  if (bytes < least) {
    ::close(fd);
    return Error{
        .code = Errc::Corrupt,
        .blame = Blame::Muster,
        .message = fmt::format("the feed's shared memory has {} bytes; at least {} are needed",
                               bytes, least)};
  }
  return map(fd, bytes, false, false);
}

Result<Segment> Segment::map(int fd, size_t bytes, bool on_disk, bool whole) {
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | (whole ? MAP_POPULATE : 0), fd, 0);
  if (data == MAP_FAILED) {
    const int failed = errno;
    ::close(fd);
    return system_error(failed, fmt::format("cannot map {} bytes of shared memory", bytes));
  }
  return Segment(fd, static_cast<std::byte*>(data), bytes, on_disk);
}

Segment::Segment(Segment&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      on_disk_(other.on_disk_) {}

Segment& Segment::operator=(Segment&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(on_disk_, other.on_disk_);
  return *this;
}

Segment::~Segment() {
  if (data_ != nullptr) {
    ::munmap(data_, size_);
  }
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

}  // namespace muster::feed
