#include "stacks/servers.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace muster::stacks {

bool waits_for_events(const Thread& thread) {
  static constexpr std::array<std::string_view, 9> kCalls = {
      "accept", "accept4",  "epoll_pwait",     "epoll_wait", "poll",
      "ppoll",  "pselect6", "rt_sigtimedwait", "select"};
  return std::ranges::find(kCalls, thread.system_call) != kCalls.end();
}

bool is_in_server(const Thread& thread) {
  static constexpr std::array<std::string_view, 7> kFiles = {
      "/asyncio/", "/grpc/_server.py", "/gunicorn/", "/socketserver.py",
      "/tornado/", "/uvicorn/",        "/werkzeug/"};
  return std::ranges::any_of(thread.frames, [](const Frame& frame) {
    return std::ranges::any_of(
        kFiles, [&](std::string_view part) { return frame.file.find(part) != std::string::npos; });
  });
}

bool is_between_polls(const Thread& thread) {
  const auto is_of = [](const Frame& frame, std::string_view file, std::string_view function) {
    return frame.file.ends_with(file) && frame.function.ends_with(function);
  };
  const auto caller = std::ranges::find_if_not(thread.frames, [&](const Frame& frame) {
    return is_of(frame, "/selectors.py", "") || is_of(frame, "/socketserver.py", "service_actions");
  });
  return caller != thread.frames.end() && is_of(*caller, "/socketserver.py", "serve_forever");
}

bool is_serving(const Thread& thread) {
  const bool waits =
      thread.state == 'S' &&
      (thread.takes || (waits_for_events(thread) &&
                        (is_in_server(thread) || thread.system_call.starts_with("accept"))));
  return waits || is_between_polls(thread);
}

const Thread* server_of(const Process& process) {
  const auto found = std::ranges::find_if(process.threads, [&](const Thread& thread) {
    return is_serving(thread) && (!process.python || !thread.frames.empty());
  });
  return found == process.threads.end() ? nullptr : &*found;
}

bool waits_for_signal(const Thread& thread) {
  static constexpr std::array<std::string_view, 3> kCalls = {"pause", "rt_sigsuspend",
                                                             "rt_sigtimedwait"};
  return std::ranges::find(kCalls, thread.system_call) != kCalls.end();
}

bool waits_for_flag(const Thread& thread) {
  // Event.wait, through its Condition; other things have one, too.
  const auto waits = [](const Frame& frame) {
    return frame.file.ends_with("/threading.py") && frame.function.ends_with("wait");
  };
  if (thread.frames.size() < 2 || !waits(thread.frames[0]) || !waits(thread.frames[1])) {
    return false;
  }
  // Pool.map() and the like also wait this way for their workers' results.
  return thread.frames.size() == 2 ||
         thread.frames[2].file.find("/multiprocessing/") == std::string::npos;
}

bool joins_thread(const Thread& thread) {
  return std::ranges::any_of(thread.frames, [](const Frame& frame) {
    return frame.function == "java.lang.Thread.join" ||
           (frame.file.ends_with("/threading.py") &&
            (frame.function.ends_with("join") || frame.function.ends_with("_shutdown")));
  });
}

}  // namespace muster::stacks
