// How long 256 ranks of Horovod take to find each other at the rendezvous that Muster serves. They
// ask what Horovod 0.28 does with the gloo that it carries: each rank joins three meshes (all
// ranks, those of its host, those of its number on all hosts), and in each it tells its host, asks
// for the hosts of those before it, tells its addresses, asks twice for those of every other one
// (whether they are there, and what they are), and says that it has finished; each by a connection
// of its own, without "Connection: close". That is 189,824 requests for 32 hosts of 8 ranks, and
// 4.6 GB of answers, since a rank's addresses are one for every other rank.
//
// The ranks' own work is on the same processors, done by four threads, which read in larger pieces
// than Horovod. server_ms is what the server takes of one, and own_ms what of that is its own: in
// user space, without the kernel's sockets, which are the same for every server. BareSockets is the
// same with a server that accepts, reads, sends as many bytes and closes, and knows nothing.
// Elsewhere asks the server at 127.0.0.1:$RENDEZVOUS_PORT, Horovod's for one.

#include "inside/rendezvous.h"

#include "net/socket.h"
#include "rt/fd.h"
#include "rt/io_loop.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <arpa/inet.h>
#include <array>
#include <barrier>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iterator>
#include <map>
#include <netinet/in.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace muster::inside {
namespace {

/// What a server has taken of a processor.
struct Used {
  std::chrono::microseconds all{};
  std::chrono::microseconds own{};  ///< Of that, in user space.
};

/// By this thread.
Used processor_time() {
  const auto of = [](const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  };
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return {.all = of(usage.ru_utime) + of(usage.ru_stime), .own = of(usage.ru_utime)};
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
  [[nodiscard]] Used stop() {
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
  Used used_;
  std::thread thread_;
};

/// The ranks that one rank connects to, as gloo names them in the store.
struct Mesh {
  std::string scope;
  size_t rank = 0;
  size_t size = 0;
};

constexpr size_t kRanksOfHost = 8;
constexpr std::string_view kHostName = "worker-host";
constexpr size_t kAddressBytes = 136;  ///< A sockaddr_storage, and the number of a pair.

size_t addresses_bytes(const Mesh& mesh) { return kAddressBytes * (mesh.size - 1); }

std::vector<Mesh> meshes_of(size_t rank, size_t ranks) {
  const size_t host = rank / kRanksOfHost;
  const size_t local = rank % kRanksOfHost;
  return {
      {.scope = "global_", .rank = rank, .size = ranks},
      {.scope = fmt::format("local_{}{}", kHostName, host), .rank = local, .size = kRanksOfHost},
      {.scope = fmt::format("cross_{}", local), .rank = host, .size = ranks / kRanksOfHost}};
}

/// Answers everything with as many bytes as the store would, without a store.
class BareServer {
 public:
  explicit BareServer(size_t ranks) : listening_(net::listen_on({.host = "127.0.0.1"}).value()) {
    for (const Mesh& mesh : meshes_of(0, ranks)) {
      addresses_[mesh.scope.front()] = answer_of(addresses_bytes(mesh));
    }
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
  [[nodiscard]] Used stop() {
    ::shutdown(listening_.fd.get(), SHUT_RDWR);
    thread_.join();
    return used_;
  }

 private:
  static std::string answer_of(size_t bytes) {
    return fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", bytes) +
           std::string(bytes, 'a');
  }

  [[nodiscard]] const std::string& answer_to(std::string_view request) const {
    if (!request.starts_with("GET /")) {
      return nothing_;
    }
    const bool of_a_host = request.find("/rank_") != std::string_view::npos;
    return of_a_host ? host_ : addresses_.at(request[sizeof("GET /") - 1]);
  }

  /// Returns false where nobody will come any more.
  [[nodiscard]] bool answer_one(std::span<char> buffer) const {
    const rt::Fd socket(::accept4(listening_.fd.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket.valid()) {
      return false;
    }
    const ssize_t got = ::recv(socket.get(), buffer.data(), buffer.size(), 0);
    const std::string_view request(buffer.data(), got > 0 ? static_cast<size_t>(got) : 0);
    const std::string& answer = answer_to(request);
    (void)::send(socket.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
    // What has not been read when a connection closes resets it: the rest of long requests.
    while (request.starts_with("PUT") &&
           ::recv(socket.get(), buffer.data(), buffer.size(), 0) > 0) {
    }
    return true;
  }

  void answer_all() const {
    std::vector<char> buffer(size_t{1} << 16U);
    while (answer_one(buffer)) {
    }
  }

  net::Listening listening_;
  std::map<char, std::string> addresses_;  ///< By the first letter of the scope.
  std::string host_ = answer_of(kHostName.size());
  std::string nothing_ = answer_of(0);
  Used used_;
  std::thread thread_;
};

/// A server that somebody else has started.
class OtherServer {
 public:
  explicit OtherServer(size_t) {
    const char* const port = std::getenv("RENDEZVOUS_PORT");
    const std::string_view text = port == nullptr ? "" : port;
    (void)std::from_chars(text.data(), text.data() + text.size(), port_);
  }
  [[nodiscard]] uint16_t port() const { return port_; }
  [[nodiscard]] static Used stop() { return {}; }

 private:
  uint16_t port_ = 0;
};

/// What the ranks of one thread have asked so far. A request fails where it gets no answer with
/// status 200 and as many bytes as it expects.
class Client {
 public:
  explicit Client(uint16_t port) : port_(port) {}

  void put(const Mesh& mesh, std::string_view key, std::string_view value) {
    ask("PUT", mesh, key, value, 0);
  }
  void get(const Mesh& mesh, std::string_view key, size_t bytes) {
    ask("GET", mesh, key, "", bytes);
  }
  void finish(const Mesh& mesh) { ask("DELETE", mesh, fmt::to_string(mesh.rank), "", 0); }

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] size_t requests() const { return requests_; }
  [[nodiscard]] size_t bytes_read() const { return bytes_read_; }

 private:
  void ask(std::string_view method, const Mesh& mesh, std::string_view key, std::string_view body,
           size_t expected) {
    if (failed_) {
      return;
    }
    request_.clear();
    fmt::format_to(std::back_inserter(request_),
                   "{} /{}/{} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {}\r\n\r\n{}", method,
                   mesh.scope, key, body.size(), body);
    ++requests_;
    failed_ = exchange() != expected;
  }

  /// Returns how long the body of the answer is; nothing on failure.
  [[nodiscard]] std::optional<size_t> exchange() {
    const rt::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
        ::send(fd.get(), request_.data(), request_.size(), MSG_NOSIGNAL) !=
            static_cast<ssize_t>(request_.size())) {
      return std::nullopt;
    }
    size_t total = 0;
    std::optional<size_t> whole;
    while (!whole.has_value() || total < *whole) {
      const ssize_t got = ::recv(fd.get(), buffer_.data() + total, buffer_.size() - total, 0);
      if (got <= 0) {
        return std::nullopt;
      }
      total += static_cast<size_t>(got);
      whole = whole.has_value() ? whole : size_of({buffer_.data(), total});
    }
    bytes_read_ += total;
    return *whole - head_bytes_;
  }

  /// Of an answer whose head is there.
  [[nodiscard]] std::optional<size_t> size_of(std::string_view answer) {
    constexpr std::string_view kLength = "Content-Length: ";
    const size_t end = answer.find("\r\n\r\n");
    const size_t length = answer.find(kLength);
    if (end == std::string_view::npos || length > end) {
      return std::nullopt;
    }
    size_t bytes = 0;
    const char* const first = answer.data() + length + kLength.size();
    (void)std::from_chars(first, answer.data() + end, bytes);
    head_bytes_ = end + 4;
    const size_t status = answer.find(" 200 ");
    return head_bytes_ + (status < length ? bytes : buffer_.size());
  }

  uint16_t port_;
  std::string request_;
  std::vector<char> buffer_ = std::vector<char>(size_t{1} << 16U);
  size_t head_bytes_ = 0;
  bool failed_ = false;
  size_t requests_ = 0;
  size_t bytes_read_ = 0;
};

/// What gloo does in one mesh, step by step: no rank asks for what another one has yet to tell.
constexpr std::array kSteps{+[](Client& client, const Mesh& mesh) {
                              client.put(mesh, fmt::format("rank_{}", mesh.rank), kHostName);
                            },
                            +[](Client& client, const Mesh& mesh) {
                              for (size_t other = 0; other < mesh.rank; ++other) {
                                client.get(mesh, fmt::format("rank_{}", other), kHostName.size());
                              }
                              client.put(mesh, fmt::to_string(mesh.rank),
                                         std::string(addresses_bytes(mesh), 'a'));
                            },
                            +[](Client& client, const Mesh& mesh) {
                              for (size_t other = 0; other < mesh.size; ++other) {
                                for (int time = 0; time < 2 && other != mesh.rank; ++time) {
                                  client.get(mesh, fmt::to_string(other), addresses_bytes(mesh));
                                }
                              }
                            },
                            +[](Client& client, const Mesh& mesh) { client.finish(mesh); }};

template <class Served>
void meet(benchmark::State& state) {
  constexpr size_t kThreads = 4;  // Each stands for a quarter of the ranks.
  const auto ranks = static_cast<size_t>(state.range(0));
  for ([[maybe_unused]] auto _ : state) {
    Served server(ranks);
    std::vector<Client> clients(kThreads, Client(server.port()));
    std::barrier together(kThreads);
    const auto quarter = [&](size_t first) {
      for (size_t mesh = 0; mesh < meshes_of(0, ranks).size(); ++mesh) {
        for (const auto& step : kSteps) {
          for (size_t rank = first; rank < ranks; rank += kThreads) {
            step(clients[first], meshes_of(rank, ranks)[mesh]);
          }
          together.arrive_and_wait();
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
    constexpr double kMegabyte = 1e6;
    const Used used = server.stop();
    state.counters["server_ms"] = kSecond * std::chrono::duration<double>(used.all).count();
    state.counters["own_ms"] = kSecond * std::chrono::duration<double>(used.own).count();
    for (const Client& client : clients) {
      state.counters["requests"] += static_cast<double>(client.requests());
      state.counters["read_mb"] += static_cast<double>(client.bytes_read()) / kMegabyte;
      if (client.failed()) {
        state.SkipWithError("a request failed");
      }
    }
  }
}

void RanksMeet(benchmark::State& state) { meet<Server>(state); }
BENCHMARK(RanksMeet)->Arg(256)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

void BareSockets(benchmark::State& state) { meet<BareServer>(state); }
BENCHMARK(BareSockets)->Arg(256)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

void Elsewhere(benchmark::State& state) { meet<OtherServer>(state); }
BENCHMARK(Elsewhere)->Arg(256)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace muster::inside
