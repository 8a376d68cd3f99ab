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

bool is_serving(const Thread& thread) {
  return thread.state == 'S' && waits_for_events(thread) &&
         (is_in_server(thread) || thread.system_call.starts_with("accept"));
}

bool joins_thread(const Thread& thread) {
  return std::ranges::any_of(thread.frames, [](const Frame& frame) {
    return frame.file.ends_with("/threading.py") &&
           (frame.function.ends_with("join") || frame.function.ends_with("_shutdown"));
  });
}

}  // namespace muster::stacks
