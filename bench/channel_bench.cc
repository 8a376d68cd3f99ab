// What the control channel costs: round trips, joins of many agents that each get a view, idle
// memory.

#include "base/log.h"
#include "control/keys.h"
#include "control/tls_transport.h"
#include "rt/io_loop.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace muster::control {
namespace {

using namespace std::chrono_literals;

Peer agent(size_t number) {
  return {.kind = Peer::Kind::Agent, .container = job::ContainerId(fmt::format("c{}", number))};
}

size_t resident_bytes() {
  size_t pages = 0;
  size_t resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * 4096;
}

/// A master on the calling thread's loop.
struct Master {
  rt::IoLoop loop;
  log::NullSink sink;
  Secret secret{};
  std::unique_ptr<Transport> transport = make_tls_transport(loop, log::Logger(sink));
  std::unique_ptr<Listener> listener;
  std::vector<std::unique_ptr<Channel>> channels;

  explicit Master(std::function<void(Channel& channel)> joined) {
    listener = *transport->listen(
        {}, [this](const Peer& peer) -> Result<Key> { return derive_key(secret, peer); },
        [this, joined = std::move(joined)](std::unique_ptr<Channel> channel) {
          channels.push_back(std::move(channel));
          joined(*channels.back());
        });
  }
};

/// Agents on a loop and thread of their own, as on other hosts.
struct Agents {
  Agents(std::string address, const Secret& secret, size_t count,
         std::function<void(rt::IoLoop& loop, Channel& channel, std::string_view frame)> frame)
      : thread([this, address = std::move(address), secret, count, on_frame = std::move(frame)] {
          rt::IoLoop loop;
          stop = [&loop] { loop.post([&loop] { loop.stop(); }); };
          log::NullSink sink;
          const auto transport = make_tls_transport(loop, log::Logger(sink));
          std::vector<std::unique_ptr<Channel>> channels;
          // At most so many at a time, as a real gang does not come in one microsecond either.
          size_t next = 0;
          std::function<void()> dial_one = [&] {
            if (next == count) {
              return;
            }
            const Peer self = agent(next++);
            transport->dial(address, self, derive_key(secret, self), 60s, [&](auto dialled) {
              if (!dialled.has_value()) {
                std::fprintf(stderr, "%s\n", dialled.error().message.c_str());
                std::abort();
              }
              Channel& channel = **dialled;
              channels.push_back(std::move(*dialled));
              channel.start(
                  {.frame = [&loop, &channel,
                             &on_frame](std::string_view bytes) { on_frame(loop, channel, bytes); },
                   .closed = [](const Error&) {}});
              channel.send("hello");
              dial_one();
            });
          };
          for (int open = 0; open < 128; ++open) {
            dial_one();
          }
          started = true;
          loop.run();
        }) {}
  ~Agents() {
    while (!started) {
      std::this_thread::yield();
    }
    stop();
    thread.join();
  }

  std::atomic<bool> started = false;
  std::function<void()> stop;
  std::thread thread;
};

void RoundTrip(benchmark::State& state) {
  const auto payload =
      std::make_shared<const std::string>(static_cast<size_t>(state.range(0)), 'x');
  size_t left = 0;
  Channel* peer = nullptr;
  rt::IoLoop* running = nullptr;
  Master master([&](Channel& channel) {
    peer = &channel;
    channel.start({.frame =
                       [&](std::string_view) {
                         if (left == 0 || --left == 0) {
                           running->stop();
                           return;
                         }
                         peer->send_shared(payload);
                       },
                   .closed = [](const Error&) {}});
  });
  running = &master.loop;
  const Agents agents(master.listener->address(), master.secret, 1,
                      [](rt::IoLoop&, Channel& channel, std::string_view frame) {
                        channel.send(std::string(frame));
                      });
  master.loop.run();  // Until the hello.
  constexpr size_t kRounds = 1000;
  for (auto _ : state) {
    left = kRounds;
    peer->send_shared(payload);
    master.loop.run();
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()) * static_cast<int64_t>(kRounds));
}
BENCHMARK(RoundTrip)->Arg(100)->Arg(10'000)->Unit(benchmark::kMillisecond)->UseRealTime();

void Joins(benchmark::State& state) {
  const auto count = static_cast<size_t>(state.range(0));
  const auto view = std::make_shared<const std::string>(96U << 10, 'v');
  for (auto _ : state) {
    const size_t before = resident_bytes();
    size_t hellos = 0;
    size_t confirmed = 0;
    Master* here = nullptr;
    Master master([&](Channel& channel) {
      channel.start({.frame =
                         [&](std::string_view frame) {
                           if (frame == "hello" && ++hellos == count) {
                             for (const auto& joined : here->channels) {
                               joined->send_shared(view);
                             }
                           }
                           if (frame == "got it" && ++confirmed == count) {
                             here->loop.stop();
                           }
                         },
                     .closed = [](const Error&) {}});
    });
    here = &master;
    const Agents agents(
        master.listener->address(), master.secret, count,
        [](rt::IoLoop&, Channel& channel, std::string_view) { channel.send("got it"); });
    master.loop.run();
    state.counters["bytes_per_end"] =
        static_cast<double>(resident_bytes() - before) / static_cast<double>(2 * count);
  }
}
BENCHMARK(Joins)->Arg(100)->Arg(4000)->Iterations(1)->Unit(benchmark::kMillisecond)->UseRealTime();

void Beats(benchmark::State& state) {
  // One small frame from each of many agents: the master's processor time for it.
  constexpr size_t kAgents = 1000;
  size_t frames = 0;
  Master* here = nullptr;
  Master master([&](Channel& channel) {
    channel.start({.frame =
                       [&](std::string_view) {
                         if (++frames % kAgents == 0) {
                           here->loop.stop();
                         }
                       },
                   .closed = [](const Error&) {}});
  });
  here = &master;
  const Agents agents(
      master.listener->address(), master.secret, kAgents,
      [](rt::IoLoop&, Channel& channel, std::string_view) { channel.send(std::string(60, 'b')); });
  master.loop.run();
  const auto ask = std::make_shared<const std::string>("?");
  timespec start{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
  for (auto _ : state) {
    for (const auto& channel : master.channels) {
      channel->send_shared(ask);
    }
    master.loop.run();
  }
  timespec end{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  const double seconds = static_cast<double>(end.tv_sec - start.tv_sec) +
                         1e-9 * static_cast<double>(end.tv_nsec - start.tv_nsec);
  // An upper bound: the asking is in it, too.
  state.counters["cpu_us_per_beat"] =
      1e6 * seconds / (static_cast<double>(state.iterations()) * static_cast<double>(kAgents));
}
BENCHMARK(Beats)->Unit(benchmark::kMillisecond)->UseRealTime();

void Start(benchmark::State& state) {
  // What a process pays for its transport before it can listen.
  rt::IoLoop loop;
  log::NullSink sink;
  for (auto _ : state) {
    const auto transport = make_tls_transport(loop, log::Logger(sink));
    const auto listener = transport->listen(
        {}, [](const Peer&) -> Result<Key> { return Key{}; }, [](std::unique_ptr<Channel>) {});
    benchmark::DoNotOptimize(listener);
  }
}
BENCHMARK(Start)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace muster::control
