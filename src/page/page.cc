#include "page/page.h"

#include "base/text.h"
#include "page/front.h"
#include "page/host_check.h"
#include "page/relay.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::page {
namespace {

using net::HttpRequest;
using net::HttpResponse;

/// How long an answer waits for something to tell: shorter than proxies are patient.
constexpr Duration kHoldMax = std::chrono::seconds(20);
/// Changes come in bursts: so much later one answer tells them all.
constexpr Duration kGather = std::chrono::milliseconds(50);
/// A viewer who has not asked again by then has left.
constexpr Duration kViewerMax = std::chrono::seconds(5);
constexpr size_t kViewersMax = 128;
constexpr size_t kViewerNameMax = 64;

constexpr std::string_view kBoard = "tensorboard";
constexpr std::string_view kEndpoints = "endpoints";

HttpResponse plain(int status, std::string_view text) {
  return {.status = status, .headers = {}, .body = fmt::format("{} {}\n", status, text)};
}

HttpResponse not_found() { return plain(404, "Not Found"); }

HttpResponse json(std::string body) {
  return {.content_type = "application/json", .headers = {}, .body = std::move(body)};
}

bool is_under(const Target& target, std::string_view first, std::string_view second) {
  return target.parts.size() >= 2 && target.parts[0] == first && target.parts[1] == second;
}

/// Waits for the event, at most until then.
rt::Async<> wait_for(rt::Loop* loop, rt::Event* event, HostTime until) {
  const auto work = [](rt::Event* news) -> rt::Async<Status> {
    co_await news->wait();
    co_return Status();
  };
  (void)co_await rt::with_deadline(*loop, until, "news", work(event));
}

}  // namespace

Page::Page(Deps deps)
    : deps_(std::move(deps)),
      changed_(deps_.loop),
      grown_(deps_.loop),
      server_(deps_.loop, [this](HttpRequest request, std::string peer) {
        return answer(std::move(request), std::move(peer));
      }) {}

void Page::changed() {
  ++version_;
  changed_.pulse();
  grown();  // An attempt that has ended writes no more.
}

void Page::grown() {
  ++growths_;
  grown_.pulse();
}

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
      co_return plain(403, "Forbidden");
    case Admission::Kind::Front:
    case Admission::Kind::Job:
      break;
  }
  if (request.method == "POST" && target.parts.size() == 2 && is_under(target, "api", "session")) {
    auto session = deps_.access.open_session(request);
    co_return session.has_value() ? *std::move(session) : not_found();
  }
  if (admission.kind == Admission::Kind::Job && target.parts.size() >= 2 &&
      target.parts[0] == kEndpoints) {
    co_return co_await show_endpoint(std::move(request), std::move(admission));
  }
  if (!reads) {
    co_return plain(405, "Method Not Allowed");
  }
  if (auto file = front_file(target, "index.html"); file.has_value()) {
    co_return *std::move(file);
  }
  if (admission.kind != Admission::Kind::Job) {
    co_return plain(401, "Unauthorized");
  }
  if (target.parts[0] == kBoard) {
    co_return co_await show_board(std::move(request), admission.target);
  }
  co_return co_await show_job(target);
}

rt::Async<HttpResponse> Page::show_board(HttpRequest request, std::string target) {
  const auto board = deps_.job.tensorboard();
  if (!board.has_value()) {
    co_return plain(404, "Not Found: no TensorBoard runs for this job now");
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
    co_return plain(403, "Forbidden: another site's page may not ask for this");
  }
  const std::string& target = admission.target;
  const size_t name_at = kEndpoints.size() + 2;
  const size_t name_end = std::min(target.find_first_of("/?", name_at), target.size());
  std::string name = target.substr(name_at, name_end - name_at);
  const auto side = deps_.tasks == nullptr ? std::nullopt : deps_.job.endpoint(name);
  if (!side.has_value()) {
    co_return plain(404, "Not Found: no task publishes this now");
  }
  const std::string below = target.substr(name_end);
  if (!below.starts_with('/')) {
    co_return HttpResponse{.status = 302,
                           .headers = {{"Location", fmt::format("{}/{}", name, below)}},
                           .body = "302 Found\n"};
  }
  RelayTarget to{.side = *side,
                 .name = name,
                 .prefix = fmt::format("{}/{}/{}", admission.prefix, kEndpoints, name)};
  co_return co_await relay(&deps_.loop, deps_.tasks, std::move(to), &request, below);
}

rt::Async<HttpResponse> Page::show_job(Target target) {
  if (target.parts.size() == 2 && is_under(target, "api", "status")) {
    co_return json(deps_.job.status() + "\n");
  }
  if (target.parts.size() == 2 && is_under(target, "api", "changes")) {
    co_return co_await changes(std::move(target));
  }
  if (target.parts.size() == 4 && is_under(target, "api", "log")) {
    target.parts.erase(target.parts.begin());
    co_return co_await log_piece(std::move(target));
  }
  if (target.parts.size() == 3 && target.parts[0] == "logs") {
    co_return co_await log_text(std::move(target));
  }
  co_return not_found();
}

rt::Async<HttpResponse> Page::changes(Target target) {
  const HostTime until = deps_.loop.now() + kHoldMax;
  // A number of an earlier master is as good as any other that is not the present one.
  while (target.number("after") == version_ && !deps_.job.ended() && deps_.loop.now() < until) {
    co_await wait_for(&deps_.loop, &changed_, until);
    co_await rt::pause_for(deps_.loop, kGather);
  }
  note_viewer(target.value("viewer"));
  co_return json(fmt::format("{{\"schema\":\"muster.changes/1\",\"version\":{},\"status\":{}}}\n",
                             version_, deps_.job.status()));
}

void Page::note_viewer(std::string_view name) {
  if (name.empty() || name.size() > kViewerNameMax) {
    return;
  }
  const HostTime now = deps_.loop.now();
  std::erase_if(viewers_, [now](const auto& viewer) { return now - viewer.second >= kViewerMax; });
  viewers_.erase(std::string(name));
  if (!deps_.job.ended() && viewers_.size() < kViewersMax) {
    viewers_.emplace(name, now);
  }
}

std::optional<LogName> Page::log_of(const Target& target) const {
  const auto index = parse_number(target.parts[2]);
  if (!index.has_value() || *index > UINT32_MAX) {
    return std::nullopt;
  }
  LogName log{.role = target.parts[1],
              .index = static_cast<uint32_t>(*index),
              .is_err = target.value("stream") == "stderr"};
  const auto attempts = deps_.job.attempts_of(log.role, log.index);
  const auto asked = target.number("attempt").value_or(attempts.value_or(0));
  if (!attempts.has_value() || asked > *attempts || asked == 0) {
    return std::nullopt;
  }
  log.attempt = static_cast<uint32_t>(asked);
  return log;
}

rt::Async<HttpResponse> Page::log_piece(Target target) {
  const auto log = log_of(target);
  if (!log.has_value()) {
    co_return not_found();
  }
  const auto after = target.number("after");
  const HostTime until = deps_.loop.now() + kHoldMax;
  while (true) {
    const bool runs = deps_.job.runs(*log);
    const uint64_t seen = growths_;
    const auto piece = co_await deps_.logs.read(*log, after);
    const bool nothing = !piece.has_value() || piece->bytes.empty();
    if (nothing && runs && after.has_value() && deps_.loop.now() < until) {
      if (seen == growths_) {
        co_await wait_for(&deps_.loop, &grown_, until);
      }
      continue;
    }
    if (!piece.has_value() && piece.error().code != Errc::NotFound) {
      co_return plain(503, printable(piece.error().message));
    }
    const LogPiece shown = piece.value_or(LogPiece());
    co_return json(fmt::format(
        "{{\"schema\":\"muster.log/1\",\"attempt\":{},\"from\":{},\"next\":{},\"runs\":{},"
        "\"text\":{}}}\n",
        log->attempt, shown.from, shown.next, runs, json_quote(shown.bytes)));
  }
}

rt::Async<HttpResponse> Page::log_text(Target target) {
  const auto log = log_of(target);
  if (!log.has_value()) {
    co_return not_found();
  }
  auto piece = co_await deps_.logs.read(*log, std::nullopt);
  if (!piece.has_value() && piece.error().code != Errc::NotFound) {
    co_return plain(503, printable(piece.error().message));
  }
  co_return HttpResponse{.headers = {{"Content-Security-Policy", "default-src 'none'; sandbox"}},
                         .body = piece.has_value() ? std::move(piece->bytes) : std::string()};
}

}  // namespace muster::page
