#include "hadoop/yarn/rest_client.h"

#include "net/http_client.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <utility>

namespace muster::hadoop::yarn {
namespace {

constexpr int kOk = 200;
constexpr int kRedirections = 2;

bool is_redirection(int status) { return status == 302 || status == 307 || status == 308; }

// Splits "http://host:port/path?query" into its parts.
Result<net::HttpClientRequest> question_of(std::string_view url) {
  constexpr std::string_view kScheme = "http://";
  if (!url.starts_with(kScheme)) {
    return cluster_error(
        fmt::format("the resource manager redirects to {}, which is not HTTP", url),
        Errc::Unsupported);
  }
  url.remove_prefix(kScheme.size());
  const auto slash = url.find('/');
  MUSTER_TRY(auto server, net::parse_host_port(url.substr(0, slash)));
  return net::HttpClientRequest{
      .server = std::move(server),
      .target = slash == std::string_view::npos ? "/" : std::string(url.substr(slash))};
}

// A standby that knows no active one says in a special header where to look again.
std::string redirection_of(const net::HttpClientResponse& reply) {
  if (is_redirection(reply.status)) {
    return std::string(reply.header("location"));
  }
  const auto refresh = reply.header("refresh");
  const auto url = refresh.find("url=");
  return url == std::string_view::npos ? std::string() : std::string(refresh.substr(url + 4));
}

Error refusal(const net::HttpClientResponse& reply, std::string_view target) {
  auto words = parse_refusal(reply.body);
  const auto status = reply.status;
  const bool forbidden = status == 401 || status == 403;
  if (words.empty()) {
    words = status == 401 ? "it requires a Kerberos ticket (SPNEGO), which Muster does not send"
                          : fmt::format("status {}", status);
  }
  return {.code = forbidden       ? Errc::PermissionDenied
                  : status == 404 ? Errc::NotFound
                                  : Errc::Other,
          .blame = forbidden || status == 404 ? Blame::User : Blame::Cluster,
          .message = fmt::format("the resource manager does not show {}: {}", target, words)};
}

}  // namespace

rt::Async<Result<std::string>> RestClient::page_of(net::HostPort server, std::string target,
                                                   HostTime deadline) {
  net::HttpClientRequest question{
      .server = std::move(server), .target = target, .headers = {{"Accept", "application/json"}}};
  for (int i = 0; i <= kRedirections; ++i) {
    auto asked = co_await net::http_get(loop_, dialer_, question, deadline);
    MUSTER_CO_TRY(auto reply, std::move(asked));
    const auto elsewhere = redirection_of(reply);
    if (elsewhere.empty()) {
      if (reply.status == kOk) {
        co_return std::move(reply.body);
      }
      co_return refusal(reply, target);
    }
    MUSTER_CO_TRY(auto next, question_of(elsewhere));
    question.server = std::move(next.server);
    question.target = std::move(next.target);
  }
  co_return cluster_error(fmt::format("the resource managers redirect {} in a circle", target));
}

rt::Async<Result<std::string>> RestClient::page(std::string path, HostTime deadline) {
  return page_at("/ws/v1/cluster/" + std::move(path), deadline);
}

rt::Async<Result<std::string>> RestClient::page_at(std::string target, HostTime deadline) {
  target += fmt::format("{}user.name={}", target.find('?') == std::string::npos ? '?' : '&',
                        options_.user);
  // Each gets its share of the remaining time.
  std::optional<Error> last;
  for (size_t i = 0; i < options_.servers.size(); ++i) {
    const auto now = loop_->now();
    const auto share = (deadline - now) / static_cast<int64_t>(options_.servers.size() - i);
    auto page = co_await page_of(options_.servers[i], target, now + share);
    const bool silent = !page.has_value() && (page.error().code == Errc::Unavailable ||
                                              page.error().code == Errc::DeadlineExceeded);
    if (!silent) {
      co_return page;
    }
    last = page.error();
  }
  co_return last->within("no resource manager serves its pages");
}

rt::Async<Result<std::string>> RestClient::setting(std::string name, HostTime deadline) {
  auto text = co_await page_at("/conf?name=" + name, deadline);
  if (!text.has_value() && text.error().code == Errc::NotFound) {
    co_return std::string();
  }
  MUSTER_CO_TRY(const auto json, std::move(text));
  co_return parse_setting_page(json);
}

rt::Async<Result<std::vector<QueueLoad>>> RestClient::queues(HostTime deadline) {
  auto text = co_await page("scheduler", deadline);
  MUSTER_CO_TRY(const auto json, std::move(text));
  co_return parse_scheduler_page(json);
}

rt::Async<Result<std::vector<Activity>>> RestClient::activities(ApplicationId id,
                                                                HostTime deadline) {
  auto text = co_await page(
      fmt::format("scheduler/app-activities/{}?groupBy=diagnostic", to_string(id)), deadline);
  MUSTER_CO_TRY(const auto json, std::move(text));
  co_return parse_activities_page(json);
}

}  // namespace muster::hadoop::yarn
