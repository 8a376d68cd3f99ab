#include "rt/io_loop.h"

#include "base/check.h"
#include "rt/blocking_pool.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <map>
#include <unordered_map>
#include <utility>

namespace muster::rt {
namespace {

namespace asio = boost::asio;
using Descriptor = asio::posix::basic_stream_descriptor<asio::io_context::executor_type>;

std::chrono::steady_clock::time_point to_steady(HostTime when) {
  return std::chrono::steady_clock::time_point(when.time_since_epoch());
}

/// One descriptor in epoll, shared by its read and its write watch.
struct Registered {
  Registered(asio::io_context& context, int fd) : descriptor(context) {
    boost::system::error_code error;
    descriptor.assign(fd, error);
    MUSTER_CHECK(!error, "cannot watch a descriptor: " + error.message());
  }
  // The owner closes the descriptor, not asio.
  ~Registered() { descriptor.release(); }

  Descriptor descriptor;
};

class AsioWatch final : public FdWatch {
 public:
  AsioWatch(std::shared_ptr<Registered> registered, Interest interest, std::function<void()> ready)
      : state_(std::make_shared<State>(std::move(registered), interest, std::move(ready))) {
    arm(state_);
  }
  ~AsioWatch() override {
    state_->active = false;
    boost::system::error_code ignored;
    state_->registered->descriptor.cancel(ignored);  // The other watch, if any, arms itself again.
    state_->registered.reset();
  }

 private:
  struct State {
    std::shared_ptr<Registered> registered;
    Interest interest;
    std::function<void()> ready;
    bool active = true;
  };

  static void arm(std::shared_ptr<State> state) {
    const auto type =
        state->interest == Interest::Read ? Descriptor::wait_read : Descriptor::wait_write;
    Descriptor& descriptor = state->registered->descriptor;
    descriptor.async_wait(type, [state = std::move(state)](boost::system::error_code error) {
      if (state->active && !error) {
        state->ready();
      }
      if (state->active) {
        arm(state);
      }
    });
  }

  std::shared_ptr<State> state_;
};

}  // namespace

struct IoLoop::Impl {
  using TimerKey = std::pair<HostTime, uint64_t>;

  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> guard{context.get_executor()};
  asio::steady_timer alarm{context};
  std::map<TimerKey, Callback> timers;
  std::unordered_map<uint64_t, HostTime> timer_times;
  uint64_t last_timer = 0;
  HostTime alarm_at = HostTime::max();
  std::unordered_map<int, std::weak_ptr<Registered>> registered;
  std::unordered_map<const void*, std::shared_ptr<void>> kept;
  BlockingPool pool;  // Last: its threads post to the context until they are joined.

  void set_alarm();
  void fire_due();
};

void IoLoop::Impl::set_alarm() {
  const HostTime first = timers.empty() ? HostTime::max() : timers.begin()->first.first;
  if (first >= alarm_at) {
    return;  // The alarm comes early enough; a cancelled timer costs one idle wake-up.
  }
  alarm_at = first;
  alarm.expires_at(to_steady(first));
  alarm.async_wait([this](boost::system::error_code error) {
    if (!error) {
      alarm_at = HostTime::max();
      fire_due();
    }
  });
}

void IoLoop::Impl::fire_due() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const HostTime due(std::chrono::duration_cast<Duration>(now));
  // Timers set by these callbacks wait for the next round, even if they are due at once.
  const uint64_t newest = last_timer;
  auto next = timers.begin();
  while (next != timers.end() && next->first.first <= due) {
    if (next->first.second > newest) {
      ++next;
      continue;
    }
    const TimerKey key = next->first;
    Callback callback = std::move(next->second);
    timers.erase(next);
    timer_times.erase(key.second);
    callback();
    next = timers.upper_bound(key);
  }
  set_alarm();
}

IoLoop::IoLoop() : impl_(std::make_unique<Impl>()) {}

IoLoop::~IoLoop() {
  // The kept objects have watches, and may remove themselves on destruction.
  const auto kept = std::exchange(impl_->kept, {});
}

HostTime IoLoop::now() const {
  return HostTime(
      std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()));
}

WallTime IoLoop::wall_now() const {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

void IoLoop::post(Callback callback) { asio::post(impl_->context, std::move(callback)); }

TimerId IoLoop::call_at(HostTime when, Callback callback) {
  const uint64_t id = ++impl_->last_timer;
  impl_->timers.emplace(Impl::TimerKey{when, id}, std::move(callback));
  impl_->timer_times.emplace(id, when);
  impl_->set_alarm();
  return TimerId(id);
}

void IoLoop::cancel(TimerId timer) {
  const auto found = impl_->timer_times.find(timer.value);
  if (found == impl_->timer_times.end()) {
    return;
  }
  impl_->timers.erase({found->second, timer.value});
  impl_->timer_times.erase(found);
}

void IoLoop::run_blocking(Callback work, Callback done) {
  // The context must not look idle between work and done; the guard ensures that.
  impl_->pool.run([this, run = std::move(work), done = std::move(done)]() mutable {
    run();
    run = nullptr;
    post(std::move(done));
  });
}

void IoLoop::run() {
  impl_->context.restart();
  impl_->context.run();
}

void IoLoop::stop() { impl_->context.stop(); }

void IoLoop::run_until(HostTime until) {
  impl_->context.restart();
  impl_->context.run_until(to_steady(until));
}

void IoLoop::keep(std::shared_ptr<void> object) {
  const void* key = object.get();
  impl_->kept.insert_or_assign(key, std::move(object));
}

void IoLoop::forget(const void* object) {
  const auto dropped = impl_->kept.extract(object);  // Its destructor may call the loop.
}

std::unique_ptr<FdWatch> IoLoop::watch(int fd, Interest interest, std::function<void()> ready) {
  std::weak_ptr<Registered>& slot = impl_->registered[fd];
  std::shared_ptr<Registered> shared = slot.lock();
  if (shared == nullptr) {
    shared = std::make_shared<Registered>(impl_->context, fd);
    slot = shared;
  }
  return std::make_unique<AsioWatch>(std::move(shared), interest, std::move(ready));
}

}  // namespace muster::rt
