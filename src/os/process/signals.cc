#include "os/process/signals.h"

#include <cerrno>
#include <csignal>
#include <sys/signalfd.h>
#include <unistd.h>
#include <utility>

namespace muster::os {
namespace {

class SignalfdSignals final : public Signals {
 public:
  SignalfdSignals(rt::IoLoop& loop, rt::Fd fd, const sigset_t& before,
                  std::function<void(int)> received)
      : fd_(std::move(fd)), before_(before), received_(std::move(received)) {
    watch_ = loop.watch(fd_.get(), rt::Interest::Read, [this] { read_one(); });
  }
  ~SignalfdSignals() override {
    watch_.reset();
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  /// One at a time, as the callback may destroy this object. The watch calls again for the next.
  void read_one() {
    signalfd_siginfo info{};
    if (::read(fd_.get(), &info, sizeof(info)) == sizeof(info)) {
      const std::function<void(int)> call = received_;
      call(static_cast<int>(info.ssi_signo));
    }
  }

  rt::Fd fd_;
  sigset_t before_;
  std::function<void(int)> received_;
  std::unique_ptr<rt::FdWatch> watch_;  // Last: it ends before its descriptor closes.
};

sigset_t set_of(std::span<const int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) {
    sigaddset(&set, signal);
  }
  return set;
}

}  // namespace

HeldSignals::HeldSignals(std::span<const int> signals) {
  const sigset_t held = set_of(signals);
  ::pthread_sigmask(SIG_BLOCK, &held, &before_);
  pending_ = rt::Fd(::signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK));
}

HeldSignals::~HeldSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

Result<std::unique_ptr<Signals>> take_signals(rt::IoLoop& loop, std::span<const int> signals,
                                              std::function<void(int signal)> received) {
  const sigset_t wanted = set_of(signals);
  sigset_t before;
  ::pthread_sigmask(SIG_BLOCK, &wanted, &before);
  rt::Fd fd(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd.valid()) {
    const int error = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return system_error(error, "cannot receive signals");
  }
  return std::make_unique<SignalfdSignals>(loop, std::move(fd), before, std::move(received));
}

bool is_ignored(int signal) {
  struct sigaction now{};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

void ignore_broken_pipes() { ::signal(SIGPIPE, SIG_IGN); }

}  // namespace muster::os
