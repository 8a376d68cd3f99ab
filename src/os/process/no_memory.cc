#include "os/process/no_memory.h"

#include <array>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <new>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

namespace muster::os {
namespace {

/// The new-handler and the signal handler have no other way to get this.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): see above
constinit struct {
  const char* who = "";
  int exit_status = 1;
} no_memory_words;

/// Allocates nothing.
[[noreturn]] void leave(const char* what) {
  for (const char* const part : {no_memory_words.who, ": cannot allocate memory for ", what,
                                 "; `ulimit -v` or the machine's memory is the limit\n"}) {
    (void)!::write(STDERR_FILENO, part, std::strlen(part));
  }
  ::_exit(no_memory_words.exit_status);
}

void on_no_memory() { leave("what it keeps"); }

uintptr_t stack_pointer_of(const void* context) {
  const auto* const state = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
  return static_cast<uintptr_t>(state->uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return static_cast<uintptr_t>(state->uc_mcontext.sp);
#endif
}

/// A stack that cannot grow faults just below its end; any other fault is a bug, and acts as
/// before.
void on_fault(int signal, siginfo_t* info, void* context) {
  constexpr uintptr_t kFrameMax = uintptr_t{1} << 20;
  const auto at = reinterpret_cast<uintptr_t>(info->si_addr);
  const uintptr_t stack = stack_pointer_of(context);
  if (info->si_code > 0 && at + kFrameMax > stack && at < stack + kFrameMax) {
    leave("its stack");
  }
  ::signal(signal, SIG_DFL);  // It faults again when this returns.
}

}  // namespace

void exit_without_memory(const char* who, int exit_status) {
  no_memory_words.who = who;
  no_memory_words.exit_status = exit_status;
  std::set_new_handler(on_no_memory);
  // The handler needs a stack of its own if the other one cannot grow.
  alignas(16) static std::array<char, 16U << 10> stack;
  const stack_t own{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  struct sigaction action{};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  if (::sigaltstack(&own, nullptr) == 0) {
    (void)::sigaction(SIGSEGV, &action, nullptr);
  }
}

}  // namespace muster::os
