#include "page/replies.h"

#include <fmt/format.h>

#include <utility>

namespace muster::page {

net::HttpResponse plain_reply(int status, std::string_view text) {
  return {.status = status, .headers = {}, .body = fmt::format("{} {}\n", status, text)};
}

net::HttpResponse not_found() { return plain_reply(404, "Not Found"); }

net::HttpResponse json_reply(std::string body) {
  return {.content_type = "application/json", .headers = {}, .body = std::move(body)};
}

rt::Async<> wait_for(rt::Loop* loop, rt::Event* event, HostTime until) {
  const auto work = [](rt::Event* news) -> rt::Async<Status> {
    co_await news->wait();
    co_return Status();
  };
  (void)co_await rt::with_deadline(*loop, until, "news", work(event));
}

}  // namespace muster::page
