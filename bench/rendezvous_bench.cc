// How long the ranks of a Horovod job take to find each other at the rendezvous that Muster serves:
// each tells its addresses and reads those of all others, by a connection for every request, as
// Horovod's ranks do. The ranks' own work is on the same processors; server_ms is what the server
// itself takes of one. BareSockets is the same with a server that accepts, reads, sends the same
// bytes and closes, and knows nothing: what the kernel takes alone.

#include "inside/rendezvous.h"

#include "net/socket.h"
#include "rt/fd.h"
#include "rt/io_loop.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <arpa/inet.h>
#include <atomic>
#include <barrier>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <netinet/in.h>
#include <span>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>

namespace muster::inside {
namespace {

std::chrono::nanoseconds processor_time() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

/// The store, on a loop and thread of its own.
class Server {
 public:
  explicit Server(size_t) {
    std::ofstream(view_) << R"({"worker":["127.0.0.1:4000"]})";
    thread_ = std::thread([this] {
      rt::IoLoop loop;
      net::Listening listening = net::listen_on({.host = "127.0.0.1"}).value();
      const uint16_t port = listening.port;
      const Rendezvous rendezvous(loop, std::move(listening.fd), Peers(view_),
                                  [](const std::string&) {});
      stop_ = [&loop] { loop.post([&loop] { loop.stop(); }); };
      port_.set_value(port);
      loop.run();
      used_ = processor_time();
    });
    number_ = port_.get_future().get();
  }
  ~Server() {
    if (thread_.joinable()) {
      (void)stop();
    }
    std::filesystem::remove(view_);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  [[nodiscard]] uint16_t port() const { return number_; }
  /// Ends it; returns what it has taken of a processor. To be called once.
  [[nodiscard]] std::chrono::nanoseconds stop() {
    stop_();
    thread_.join();
    return used_;
  }

 private:
  std::filesystem::path view_ =
      std::filesystem::temp_directory_path() / fmt::format("rendezvous-bench-{}", ::getpid());
  std::promise<uint16_t> port_;
  uint16_t number_ = 0;
  std::function<void()> stop_;
  std::chrono::nanoseconds used_{};
  std::thread thread_;
};

/// Answers everything with as many bytes as the addresses of a rank are.
class BareServer {
 public:
  explicit BareServer(size_t value_bytes)
      : listening_(net::listen_on({.host = "127.0.0.1"}).value()),
        answer_(fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", value_bytes) +
                std::string(value_bytes, 'a')) {
    const int flags = ::fcntl(listening_.fd.get(), F_GETFL);
    ::fcntl(listening_.fd.get(), F_SETFL, flags & ~O_NONBLOCK);
    thread_ = std::thread([this] {
      answer_all();
      used_ = processor_time();
    });
  }
  ~BareServer() {
    if (thread_.joinable()) {
      (void)stop();
    }
  }
  BareServer(const BareServer&) = delete;
  BareServer& operator=(const BareServer&) = delete;
  [[nodiscard]] uint16_t port() const { return listening_.port; }
  [[nodiscard]] std::chrono::nanoseconds stop() {
    ::shutdown(listening_.fd.get(), SHUT_RDWR);
    thread_.join();
    return used_;
  }

 private:
  void answer_all() const {
    std::vector<char> buffer(size_t{1} << 16U);
    while (true) {
      const rt::Fd socket(::accept4(listening_.fd.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!socket.valid()) {
        return;
      }
      (void)::recv(socket.get(), buffer.data(), buffer.size(), 0);
      (void)::send(socket.get(), answer_.data(), answer_.size(), MSG_NOSIGNAL);
    }
  }

  net::Listening listening_;
  std::string answer_;
  std::chrono::nanoseconds used_{};
  std::thread thread_;
};

/// Sends a request by a connection of its own and reads the answer to its end; returns how long the
/// answer is, 0 on failure.
size_t ask(uint16_t port, std::string_view request, std::span<char> buffer) {
  const rt::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      ::send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL) !=
          static_cast<ssize_t>(request.size())) {
    return 0;
  }
  size_t total = 0;
  for (ssize_t got = 1; got > 0; total += got > 0 ? static_cast<size_t>(got) : 0) {
    got = ::recv(fd.get(), buffer.data(), buffer.size(), 0);
  }
  return total;
}

std::string request_for(std::string_view method, size_t rank, std::string_view body) {
  return fmt::format(
      "{} /global/{} HTTP/1.1\r\nHost: muster\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{}",
      method, rank, body.size(), body);
}

template <class Served>
void meet(benchmark::State& state) {
  constexpr size_t kThreads = 4;  // Each stands for a quarter of the ranks.
  constexpr size_t kBytesOfAnAddress = 40;
  const auto ranks = static_cast<size_t>(state.range(0));
  const std::string addresses(kBytesOfAnAddress * ranks, 'a');
  for ([[maybe_unused]] auto _ : state) {
    Served server(addresses.size());
    std::atomic<bool> failed = false;
    std::barrier told(kThreads);
    const auto quarter = [&](size_t first) {
      std::vector<char> buffer(size_t{1} << 16U);
      for (size_t rank = first; rank < ranks; rank += kThreads) {
        failed = failed || ask(server.port(), request_for("PUT", rank, addresses), buffer) == 0;
      }
      told.arrive_and_wait();
      for (size_t rank = first; rank < ranks; rank += kThreads) {
        for (size_t other = 0; other < ranks && !failed; ++other) {
          failed = other != rank &&
                   ask(server.port(), request_for("GET", other, ""), buffer) < addresses.size();
        }
      }
    };
    const auto started = std::chrono::steady_clock::now();
    std::vector<std::thread> threads;
    for (size_t first = 0; first < kThreads; ++first) {
      threads.emplace_back(quarter, first);
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    state.SetIterationTime(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count());
    constexpr double kSecond = 1000;
    state.counters["server_ms"] = kSecond * std::chrono::duration<double>(server.stop()).count();
    if (failed) {
      state.SkipWithError("a request failed");
      return;
    }
  }
}

void RanksMeet(benchmark::State& state) { meet<Server>(state); }
BENCHMARK(RanksMeet)->Arg(256)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

void BareSockets(benchmark::State& state) { meet<BareServer>(state); }
BENCHMARK(BareSockets)->Arg(256)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace muster::inside
