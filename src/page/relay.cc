#include "page/relay.h"

#include "base/text.h"
#include "net/http_client.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace muster::page {
namespace {

constexpr Duration kPatience = std::chrono::seconds(30);

constexpr std::array kAsked = {std::pair{"accept", "Accept"},
                               std::pair{"accept-encoding", "Accept-Encoding"},
                               std::pair{"accept-language", "Accept-Language"}};
constexpr std::array kAnswered = {std::pair{"content-encoding", "Content-Encoding"},
                                  std::pair{"content-security-policy", "Content-Security-Policy"},
                                  std::pair{"cache-control", "Cache-Control"},
                                  std::pair{"vary", "Vary"}};

}  // namespace

rt::Async<net::HttpResponse> relay(rt::Loop* loop, net::Dialer* dialer, SideServer side,
                                   const net::HttpRequest* request, std::string target) {
  net::HttpQuestion question{
      .server = std::move(side.server), .target = side.path + target, .headers = {}};
  for (const auto& [name, sent] : kAsked) {
    if (const std::string_view value = request->header(name); !value.empty()) {
      question.headers.emplace_back(sent, value);
    }
  }
  auto reply = co_await net::http_get(loop, dialer, std::move(question), loop->now() + kPatience);
  if (!reply.has_value()) {
    // The address has the path in it, which is nobody's business.
    co_return net::HttpResponse{
        .status = 502, .headers = {}, .body = "502 Bad Gateway: TensorBoard does not answer\n"};
  }
  net::HttpResponse response{.status = reply->status,
                             .content_type = std::string(reply->header("content-type")),
                             .headers = {{"Referrer-Policy", "no-referrer"}},
                             .body = std::move(reply->body)};
  for (const auto& [name, sent] : kAnswered) {
    if (const std::string_view value = reply->header(name); !value.empty()) {
      response.headers.emplace_back(sent, value);
    }
  }
  co_return response;
}

}  // namespace muster::page
