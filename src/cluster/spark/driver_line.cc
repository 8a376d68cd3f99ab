#include "cluster/spark/driver_line.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace muster::cluster::spark {
namespace {

/// Far longer than any line of the driver.
constexpr size_t kLineMax = 1U << 20;

}  // namespace

DriverLine::DriverLine(rt::IoLoop& loop, rt::Fd socket, Handlers handlers)
    : loop_(loop), socket_(std::move(socket)), handlers_(std::move(handlers)) {}

Status DriverLine::start() {
  const int flags = ::fcntl(socket_.get(), F_GETFL);
  if (flags < 0 || ::fcntl(socket_.get(), F_SETFL, flags | O_NONBLOCK) < 0 ||
      ::fcntl(socket_.get(), F_SETFD, FD_CLOEXEC) < 0) {
    return system_error(errno, "cannot use the connection to the Spark driver");
  }
  readable_ = loop_.watch(socket_.get(), rt::Interest::Read, [this] { read(); });
  return {};
}

void DriverLine::send(std::string_view text) {
  if (readable_ == nullptr) {
    return;
  }
  unsent_ += text;
  if (writable_ == nullptr) {
    writable_ = loop_.watch(socket_.get(), rt::Interest::Write, [this] { write(); });
  }
}

void DriverLine::read() {
  char buffer[16384];
  const ssize_t got = ::recv(socket_.get(), buffer, sizeof buffer, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
    return;
  }
  if (got <= 0) {
    close(got == 0 ? "the Spark driver has ended"
                   : system_error(errno, "the connection to the Spark driver was lost").message);
    return;
  }
  received_.append(buffer, static_cast<size_t>(got));
  size_t begin = 0;
  for (size_t end = received_.find('\n'); end != std::string::npos;
       end = received_.find('\n', begin)) {
    handlers_.line(std::string_view(received_).substr(begin, end - begin));
    begin = end + 1;
  }
  received_.erase(0, begin);
  if (received_.size() > kLineMax) {
    close("the Spark driver sent a line that is too long");
  }
}

void DriverLine::write() {
  const ssize_t sent = ::send(socket_.get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
  if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
    return;
  }
  if (sent < 0) {
    writable_.reset();  // The reading side reports why.
    return;
  }
  unsent_.erase(0, static_cast<size_t>(sent));
  if (unsent_.empty()) {
    writable_.reset();
  }
}

void DriverLine::close(const std::string& why) {
  writable_.reset();
  readable_.reset();
  handlers_.closed(why);
}

}  // namespace muster::cluster::spark
