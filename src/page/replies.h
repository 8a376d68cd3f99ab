#pragma once

#include "base/time.h"
#include "net/http.h"
#include "rt/async.h"
#include "rt/loop.h"
#include "rt/wait.h"

#include <string>
#include <string_view>

namespace muster::page {

/// How long an answer waits for something to report; shorter than the patience of proxies.
inline constexpr Duration kHoldMax = std::chrono::seconds(20);

/// "404 Not Found" as text.
[[nodiscard]] net::HttpResponse plain_reply(int status, std::string_view text);
[[nodiscard]] net::HttpResponse not_found();
[[nodiscard]] net::HttpResponse json_reply(std::string body);

/// Waits for the event, at most until `until`. All must outlive the wait.
[[nodiscard]] rt::Async<> wait_for(rt::Loop* loop, rt::Event* event, HostTime until);

}  // namespace muster::page
