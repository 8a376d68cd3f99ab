#include "os/host/gpu_meter.h"

#include "rt/scope.h"
#include "rt/wait.h"

#include <algorithm>
#include <csignal>
#include <optional>
#include <string_view>
#include <utility>

namespace muster::os {
namespace {

constexpr Duration kAgeMax = std::chrono::seconds(5);
constexpr Duration kPeriod = std::chrono::seconds(1);
constexpr Duration kRestMax = std::chrono::minutes(5);
/// If a program ran for this long, the next one may start at once.
constexpr Duration kLongLife = std::chrono::minutes(1);
constexpr size_t kLineBytesMax = 1024;
constexpr size_t kGpusMax = 256;
constexpr int kNiceness = 10;
/// Where to look if PATH does not have it: the driver's own folders, those of containers, and
/// WSL's.
constexpr std::string_view kUsualFolders =
    "/usr/bin:/bin:/usr/local/bin:/usr/local/nvidia/bin:/usr/lib/wsl/lib";

class LoopGpuMeter final : public GpuMeter {
 public:
  LoopGpuMeter(rt::IoLoop& loop, Processes& processes, log::Sink& log, GpuMeterOptions options)
      : loop_(loop),
        processes_(processes),
        log_(log),
        options_(std::move(options)),
        rest_(options_.rest_first),
        self_(std::make_shared<LoopGpuMeter*>(this)),
        scope_(loop) {
    std::string& path = options_.environment["PATH"];
    path += (path.empty() ? "" : ":") + std::string(kUsualFolders);
    options_.environment["LC_ALL"] = "C";
  }
  ~LoopGpuMeter() override { stop(); }
  LoopGpuMeter(const LoopGpuMeter&) = delete;
  LoopGpuMeter& operator=(const LoopGpuMeter&) = delete;

  void watch(bool on) override {
    if (on == std::exchange(watched_, on)) {
      return;
    }
    if (on) {
      start();
    } else {
      stop();
    }
  }

  [[nodiscard]] std::vector<GpuReading> latest() const override {
    std::vector<GpuReading> readings;
    for (const auto& [index, seen] : seen_) {
      if (loop_.now() - seen.at <= kAgeMax) {
        readings.push_back(seen.reading);
      }
    }
    return readings;
  }

 private:
  struct Seen {
    GpuReading reading;
    HostTime at{};
  };

  void start();
  void stop();
  void ended(const Exit& exit);
  void take(GpuReading reading);
  void fall_back();
  rt::Async<> read_amd();

  rt::IoLoop& loop_;
  Processes& processes_;
  log::Logger log_;
  GpuMeterOptions options_;
  Duration rest_;
  bool watched_ = false;
  bool amd_ = false;  ///< AMD's files are read.
  std::map<uint32_t, Seen> seen_;
  std::optional<Pid> child_;
  HostTime begun_{};
  bool told_ = false;  ///< This child has reported a GPU.
  BoundedLines lines_{kLineBytesMax};
  rt::TimerId timer_{};
  /// A child's handlers hold it weakly: they may be called after this has gone, or has a new child.
  std::shared_ptr<LoopGpuMeter*> self_;
  rt::Scope scope_;  ///< Last: its coroutine uses all of the above.
};

void LoopGpuMeter::start() {
  timer_ = {};
  told_ = false;
  lines_ = BoundedLines(kLineBytesMax);
  begun_ = loop_.now();
  SpawnOptions ask{.argv = {"nvidia-smi", "--query-gpu=" + std::string(kGpuQuery),
                            "--format=csv,noheader,nounits", "-l", "1"},
                   .env = options_.environment,
                   .stdout_to = ToPipe{},
                   .stderr_to = ToNull{},
                   .grouping = Grouping::NewGroup,
                   .parent_death_signal = SIGKILL,
                   .niceness = kNiceness};
  self_ = std::make_shared<LoopGpuMeter*>(this);
  const std::weak_ptr<LoopGpuMeter*> weak = self_;
  const Result<Pid> spawned =
      processes_.spawn(ask, {.output =
                                 [weak](Stream, std::string_view bytes) {
                                   if (const auto self = weak.lock()) {
                                     (*self)->lines_.take(bytes, [&self](std::string_view line) {
                                       if (auto reading = parse_gpu_reading(line)) {
                                         (*self)->take(*std::move(reading));
                                       }
                                     });
                                   }
                                 },
                             .exited =
                                 [weak](const Exit& exit) {
                                   if (const auto self = weak.lock()) {
                                     (*self)->ended(exit);
                                   }
                                 }});
  if (!spawned) {
    fall_back();  // There is no such program, and none will appear while these tasks run.
    return;
  }
  child_ = *spawned;
}

void LoopGpuMeter::stop() {
  self_.reset();
  loop_.cancel(std::exchange(timer_, {}));
  scope_.cancel();
  amd_ = false;
  seen_.clear();
  rest_ = options_.rest_first;
  if (const auto child = std::exchange(child_, std::nullopt)) {
    processes_.close_output(*child);
    (void)processes_.signal_group(*child, SIGKILL);
  }
}

void LoopGpuMeter::ended(const Exit& exit) {
  child_.reset();
  if (loop_.now() - begun_ >= kLongLife) {
    rest_ = options_.rest_first;
  }
  log_.info("gpus.program-ended",
            {{"code", exit.code.value_or(-1)},
             {"told", told_},
             {"again_s", std::chrono::floor<std::chrono::seconds>(rest_).count()}});
  if (!told_) {
    fall_back();
  }
  timer_ = loop_.call_after(rest_, [this] { start(); });
  rest_ = std::min(2 * rest_, kRestMax);
}

void LoopGpuMeter::take(GpuReading reading) {
  if (!std::exchange(told_, true) && std::exchange(amd_, false)) {
    scope_.cancel();
    seen_.clear();
  }
  const uint32_t index = reading.index;
  if (seen_.size() < kGpusMax || seen_.contains(index)) {
    seen_[index] = {.reading = std::move(reading), .at = loop_.now()};
  }
}

void LoopGpuMeter::fall_back() {
  if (!std::exchange(amd_, true)) {
    scope_.spawn(read_amd());
  }
}

rt::Async<> LoopGpuMeter::read_amd() {
  while (true) {
    auto read = [drm = options_.drm] { return read_amd_gpus(drm); };
    const std::vector<GpuReading> readings = co_await rt::run_blocking(loop_, std::move(read));
    if (readings.empty()) {
      co_return;
    }
    for (const GpuReading& reading : readings) {
      seen_[reading.index] = {.reading = reading, .at = loop_.now()};
    }
    co_await rt::pause_for(loop_, kPeriod);
  }
}

}  // namespace

std::unique_ptr<GpuMeter> make_gpu_meter(rt::IoLoop& loop, Processes& processes, log::Sink& log,
                                         GpuMeterOptions options) {
  return std::make_unique<LoopGpuMeter>(loop, processes, log, std::move(options));
}

}  // namespace muster::os
