#include "inside/slots_desk.h"

#include "inside/horovod_slots.h"
#include "net/address.h"
#include "net/tcp_dialer.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <string_view>
#include <sys/socket.h>
#include <system_error>
#include <utility>

namespace muster::inside {
namespace {

constexpr std::string_view kSuffix = "____HOROVOD_RENDEZVOUS_SERVER____";
/// How long a reader may take, and how many there may be.
constexpr Duration kReaderPatience = std::chrono::seconds(10);
constexpr size_t kReadersMax = 4096;

std::optional<uint16_t> port_in(std::string_view name) {
  if (!name.ends_with(kSuffix)) {
    return std::nullopt;
  }
  name.remove_suffix(kSuffix.size());
  uint16_t port = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), port);
  const bool whole = error == std::errc() && end == name.data() + name.size();
  return whole ? std::optional(port) : std::nullopt;
}

}  // namespace

SlotsDesk::SlotsDesk(rt::IoLoop& loop, rt::Fd listening, Door door, std::filesystem::path folder)
    : loop_(loop),
      listening_(std::move(listening)),
      door_(std::move(door)),
      folder_(std::move(folder)),
      telling_(loop) {}

Status SlotsDesk::open() {
  MUSTER_TRY(folder_watch_, os::watch_file(loop_, folder_, [this] { look(); }));
  look();
  return {};
}

void SlotsDesk::look() {
  if (accepting_) {
    return;
  }
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, failed)) {
    const std::filesystem::path& path = entry.path();
    const std::optional<uint16_t> port = port_in(path.filename().native());
    if (!port) {
      continue;
    }
    if (!file_watches_.contains(path)) {
      // If the kernel has no inotify left, the folder's watch does not see a file grow.
      if (auto watch = os::watch_file(loop_, path, [this] { look(); }); watch.has_value()) {
        file_watches_.emplace(path, *std::move(watch));
      }
    }
    const std::string text = text_of(path);
    if (parse_slots(text).has_value()) {  // Otherwise it is about to be written.
      begin_to_tell(fmt::format("{} {}\n{}", *port, text.size(), text));
      return;
    }
  }
}

void SlotsDesk::begin_to_tell(std::string told) {
  told_ = std::move(told);
  file_watches_.clear();
  folder_watch_.reset();
  accepting_.emplace(loop_, listening_.get(), [this] { accept_some(); });
}

void SlotsDesk::accept_some() {
  while (true) {
    net::SocketAddress peer;
    peer.size = sizeof(peer.storage);
    rt::Fd socket(
        ::accept4(listening_.get(), peer.get(), &peer.size, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.valid()) {
      if (rt::no_descriptor_left(errno)) {
        accepting_->rest();
      }
      return;
    }
    if (door_.admits(peer) && telling_.size() < kReadersMax) {
      telling_.spawn(tell(std::move(socket)));
    }
  }
}

rt::Async<> SlotsDesk::tell(rt::Fd socket) {
  const auto stream = net::tcp_stream(loop_, std::move(socket));
  auto written = stream->write({reinterpret_cast<const uint8_t*>(told_.data()), told_.size()});
  // A rank that does not read it has ended.
  (void)co_await rt::with_deadline(loop_, loop_.now() + kReaderPatience, "a rank",
                                   std::move(written));
}

}  // namespace muster::inside
