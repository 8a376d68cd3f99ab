#include "page/page.h"

#include "base/text.h"
#include "page/front.h"
#include "page/host_check.h"
#include "page/relay.h"
#include "page/replies.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::page {
namespace {

using net::HttpRequest;
using net::HttpResponse;

/// Changes come in bursts: one answer after this delay reports them all.
constexpr Duration kGather = std::chrono::milliseconds(50);
/// A job that stops has mostly ended a moment later, and its master leaves soon after that: whoever
/// hears of both at once need not come back in time.
constexpr Duration kGatherEnd = std::chrono::milliseconds(500);
/// A viewer who has not asked again by then has gone.
constexpr Duration kViewerMax = std::chrono::seconds(5);
constexpr size_t kViewersMax = 128;
constexpr size_t kViewerNameMax = 64;
/// Per answer.
constexpr uint64_t kEventsMax = 2000;

constexpr std::string_view kBoard = "tensorboard";
constexpr std::string_view kEndpoints = "endpoints";

bool is_under(const Target& target, std::string_view first, std::string_view second) {
  return target.parts.size() >= 2 && target.parts[0] == first && target.parts[1] == second;
}

/// Parses a request to /api/metrics; the error says which part of it cannot be read.
Result<MetricsRequest> parse_metrics_request(const Target& target) {
  MetricsRequest request;
  for (const auto& [name, value] : target.query) {
    const std::optional<uint64_t> number = parse_number(value);
    if (name == "task") {
      request.tasks.push_back(value);
    } else if (name == "name") {
      request.names.push_back(value);
    } else if (name == "from") {
      if (!number || *number > INT64_MAX) {
        return user_error("from must be seconds since 1970, not `" + value + "`");
      }
      request.from_s = static_cast<int64_t>(*number);
    } else if (name == "step") {
      if (!number || (*number != 1 && *number != 10 && *number != 60)) {
        return user_error("step must be 1, 10 or 60 seconds, not `" + value + "`");
      }
      request.step_s = static_cast<uint32_t>(*number);
    }
  }
  return request;
}

}  // namespace

Page::Page(Deps deps)
    : deps_(std::move(deps)),
      changed_(deps_.loop),
      logs_(deps_.loop, deps_.job, deps_.logs),
      server_(
          deps_.loop,
          [this](HttpRequest request, std::string peer) {
            return answer(std::move(request), std::move(peer));
          },
          {}, body_max_by(deps_.access)) {}

void Page::changed() {
  ++version_;
  changed_.pulse();
  grown();  // An attempt that has ended no longer writes.
}

void Page::grown() { logs_.grown(); }

bool Page::served() const {
  const HostTime now = deps_.loop.now();
  return server_.answering() == 0 && std::ranges::none_of(viewers_, [now](const auto& viewer) {
           return now - viewer.second < kViewerMax;
         });
}

rt::Async<HttpResponse> Page::answer(HttpRequest request, std::string peer) {
  if (!is_for_this_host(request, deps_.host_names)) {
    co_return wrong_host();
  }
  Admission admission = co_await deps_.access.admit(&request, std::move(peer));
  co_return co_await answer_admitted(std::move(request), std::move(admission));
}

rt::Async<HttpResponse> Page::answer_admitted(HttpRequest request, Admission admission) {
  const Target target = parse_target(admission.target);
  const bool reads = request.method == "GET" || request.method == "HEAD";
  switch (admission.kind) {
    case Admission::Kind::Elsewhere:
      co_return HttpResponse{
          .status = 302, .headers = {{"Location", admission.location}}, .body = "302 Found\n"};
    case Admission::Kind::Refused:
      co_return plain_reply(403, "Forbidden");
    case Admission::Kind::Front:
    case Admission::Kind::Job:
      break;
  }
  if (request.method == "POST" && target.parts.size() == 2 && is_under(target, "api", "session")) {
    auto session = deps_.access.open_session(request);
    co_return session.has_value() ? *std::move(session) : not_found();
  }
  if (request.method == "POST" && target.parts.size() == 2 && is_under(target, "api", "stop")) {
    co_return admission.kind == Admission::Kind::Job ? stop(request)
                                                     : plain_reply(401, "Unauthorized");
  }
  if (admission.kind == Admission::Kind::Job && target.parts.size() >= 2 &&
      target.parts[0] == kEndpoints) {
    co_return co_await show_endpoint(std::move(request), std::move(admission));
  }
  if (!reads) {
    co_return plain_reply(405, "Method Not Allowed");
  }
  if (auto file = front_file(target, "index.html"); file.has_value()) {
    co_return *std::move(file);
  }
  if (admission.kind != Admission::Kind::Job) {
    co_return plain_reply(401, "Unauthorized");
  }
  if (target.parts[0] == kBoard) {
    co_return co_await show_board(std::move(request), admission.target);
  }
  co_return co_await show_job(target);
}

HttpResponse Page::stop(const HttpRequest& request) {
  // The token is in the body of a POST and in no cookie, so no other site can make a browser send
  // it.
  if (!deps_.access.is_owner(request)) {
    return plain_reply(403, "Forbidden");
  }
  if (deps_.stop == nullptr || deps_.job.ended()) {
    return plain_reply(409, "Conflict: the job has ended");
  }
  deps_.stop("the owner, on the job's page");
  return json_reply("{\"schema\":\"muster.stop/1\",\"stopping\":true}\n");
}

rt::Async<HttpResponse> Page::show_board(HttpRequest request, std::string target) {
  const auto board = deps_.job.tensorboard();
  if (!board.has_value()) {
    co_return plain_reply(404, "Not Found: no TensorBoard runs for this job now");
  }
  const std::string below = target.substr(kBoard.size() + 1);
  if (!below.starts_with('/')) {
    co_return HttpResponse{.status = 302,
                           .headers = {{"Location", fmt::format("{}/{}", kBoard, below)}},
                           .body = "302 Found\n"};
  }
  RelayTarget to{.side = *board, .name = "TensorBoard"};
  co_return co_await relay(&deps_.loop, &deps_.dialer, std::move(to), &request, below);
}

rt::Async<HttpResponse> Page::show_endpoint(HttpRequest request, Admission admission) {
  if (!is_of_this_page(request)) {
    co_return plain_reply(403, "Forbidden: another site's page may not ask for this");
  }
  const std::string& target = admission.target;
  const size_t name_at = kEndpoints.size() + 2;
  const size_t name_end = std::min(target.find_first_of("/?", name_at), target.size());
  std::string name = target.substr(name_at, name_end - name_at);
  const auto side = deps_.tasks == nullptr ? std::nullopt : deps_.job.endpoint(name);
  if (!side.has_value()) {
    co_return plain_reply(404, "Not Found: no task publishes this now");
  }
  const std::string below = target.substr(name_end);
  if (!below.starts_with('/')) {
    co_return HttpResponse{.status = 302,
                           .headers = {{"Location", fmt::format("{}/{}", name, below)}},
                           .body = "302 Found\n"};
  }
  if (admission.by_authorization) {
    std::erase_if(request.headers, [](const auto& each) { return each.first == "authorization"; });
  }
  RelayTarget to{.side = *side,
                 .name = name,
                 .prefix = fmt::format("{}/{}/{}", admission.prefix, kEndpoints, name)};
  co_return co_await relay(&deps_.loop, deps_.tasks, std::move(to), &request, below);
}

rt::Async<HttpResponse> Page::show_job(Target target) {
  if (target.parts.size() == 2 && is_under(target, "api", "status")) {
    co_return json_reply(deps_.job.status() + "\n");
  }
  if (target.parts.size() == 2 && is_under(target, "api", "changes")) {
    co_return co_await changes(std::move(target));
  }
  if (is_under(target, "api", "metrics") || target.parts == std::vector<std::string>{"metrics"}) {
    co_return metrics(target);
  }
  if (target.parts.size() == 2 && is_under(target, "api", "job")) {
    co_return json_reply(deps_.job.description() + "\n");
  }
  if (target.parts.size() == 2 && is_under(target, "api", "output")) {
    co_return co_await logs_.output(std::move(target));
  }
  if (target.parts.size() == 2 && is_under(target, "api", "find")) {
    co_return co_await logs_.find(std::move(target));
  }
  if (target.parts.size() == 3 && target.parts[0] == "logs") {
    co_return co_await logs_.text(std::move(target));
  }
  co_return not_found();
}

HttpResponse Page::metrics(const Target& target) const {
  if (target.parts.size() == 1) {
    return {.content_type = "text/plain; version=0.0.4; charset=utf-8",
            .headers = {},
            .body = deps_.job.prometheus()};
  }
  const bool names = target.parts.size() == 3 && target.parts[2] == "names";
  if (target.parts.size() != 2 && !names) {
    return not_found();
  }
  const Result<MetricsRequest> request = parse_metrics_request(target);
  Result<std::string> shown = !request ? Result<std::string>(request.error())
                              : names  ? deps_.job.metric_names()
                                       : deps_.job.metrics(*request);
  if (!shown) {
    const int status = shown.error().blame == Blame::User ? 400 : 503;
    return {.status = status, .headers = {}, .body = printable(shown.error().message) + "\n"};
  }
  return json_reply(*std::move(shown));
}

rt::Async<HttpResponse> Page::changes(Target target) {
  const HostTime until = deps_.loop.now() + kHoldMax;
  const auto from = target.number("events");
  const auto has_news = [&] {
    // An earlier master's number is as good as any other that differs from the present one.
    return target.number("after") != version_ || deps_.job.ended() ||
           (from && *from < deps_.job.event_count());
  };
  while (!has_news() && deps_.loop.now() < until) {
    co_await wait_for(&deps_.loop, &changed_, until);
    co_await rt::pause_for(deps_.loop, kGather);
  }
  const HostTime end_by = deps_.loop.now() + kGatherEnd;
  while (deps_.job.stopping() && deps_.loop.now() < end_by) {
    co_await wait_for(&deps_.loop, &changed_, end_by);
  }
  const Events events = from ? deps_.job.events(*from, kEventsMax) : Events();
  const bool whole = !from || events.next >= deps_.job.event_count();
  note_viewer(target.value("viewer"), whole);
  const std::string happened =
      from ? fmt::format(R"("events":[{}],"next":{},"whole":{},)", events.json, events.next, whole)
           : std::string();
  co_return json_reply(
      fmt::format("{{\"schema\":\"muster.changes/1\",\"version\":{},{}\"status\":{}}}\n", version_,
                  happened, deps_.job.status()));
}

void Page::note_viewer(std::string_view name, bool told_all) {
  if (name.empty() || name.size() > kViewerNameMax) {
    return;
  }
  const HostTime now = deps_.loop.now();
  std::erase_if(viewers_, [now](const auto& viewer) { return now - viewer.second >= kViewerMax; });
  viewers_.erase(std::string(name));
  const bool waits = !deps_.job.ended() || !told_all;
  if (waits && viewers_.size() < kViewersMax) {
    viewers_.emplace(name, now);
  }
}

}  // namespace muster::page
