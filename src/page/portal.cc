#include "page/portal.h"

#include "base/text.h"
#include "page/front.h"
#include "page/host_check.h"

#include <fmt/format.h>

#include <utility>

namespace muster::page {
namespace {

using net::HttpRequest;
using net::HttpResponse;

constexpr std::string_view kJobs = "jobs";

HttpResponse plain_response(int status, std::string_view text) {
  return {.status = status, .headers = {}, .body = fmt::format("{} {}\n", status, text)};
}

/// Encodes a part of a path as the value of a query.
std::string query_of(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '/';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace

Portal::Portal(Deps deps)
    : deps_(std::move(deps)),
      server_(
          deps_.loop,
          [this](HttpRequest request, std::string peer) {
            return answer(std::move(request), std::move(peer));
          },
          {}, body_max_by(deps_.access)) {}

rt::Async<HttpResponse> Portal::answer(HttpRequest request, std::string peer) {
  if (!is_for_this_host(request, deps_.host_names)) {
    co_return wrong_host();
  }
  Admission admission = co_await deps_.access.admit(&request, std::move(peer));
  const net::HttpHeaders headers = admission.headers;
  const bool known = admission.kind == Admission::Kind::Job;
  HttpResponse response = co_await answer_admitted(std::move(request), std::move(admission));
  // A client that already got what it asked for is not asked to authenticate.
  if (known || response.status == 401) {
    response.headers.insert(response.headers.end(), headers.begin(), headers.end());
  }
  co_return response;
}

HttpResponse Portal::open_session(const HttpRequest& request, const Admission& admission) {
  auto session = request.body.empty() ? deps_.access.keep_session(admission) : std::nullopt;
  if (!session.has_value()) {
    session = deps_.access.open_session(request);
  }
  return session.has_value() ? *std::move(session) : plain_response(404, "Not Found");
}

rt::Async<HttpResponse> Portal::answer_admitted(HttpRequest request, Admission admission) {
  Target target = parse_target(admission.target);
  if (request.method == "POST" && target.parts == std::vector<std::string>{"api", "session"}) {
    co_return open_session(request, admission);
  }
  if (request.method != "GET" && request.method != "HEAD") {
    co_return plain_response(405, "Method Not Allowed");
  }
  if (auto file = front_file(target, deps_.document); file.has_value()) {
    co_return *std::move(file);
  }
  if (admission.kind != Admission::Kind::Job) {
    // Only for a job's document, whose address is "/jobs/ID/", whatever the id: so this reveals
    // nothing.
    if (deps_.signs_in && target.parts.size() == 3 && target.parts[0] == kJobs &&
        target.parts[2].empty()) {
      const std::string next = admission.target.substr(1, admission.target.find('?') - 1);
      co_return HttpResponse{.status = 302,
                             .headers = {{"Location", "../../?next=" + query_of(next)}},
                             .body = "302 Found\n"};
    }
    co_return plain_response(
        401, admission.refusal.empty() ? "Unauthorized" : "Unauthorized: " + admission.refusal);
  }
  if (target.parts == std::vector<std::string>{"api", "jobs"}) {
    auto list = deps_.shelf.list(admission, target);
    if (!list.has_value()) {
      co_return plain_response(503, printable(list.error().message));
    }
    co_return HttpResponse{
        .content_type = "application/json", .headers = {}, .body = *std::move(list)};
  }
  if (target.parts == std::vector<std::string>{"metrics"}) {
    auto text = deps_.shelf.prometheus(admission);
    if (!text.has_value()) {
      co_return plain_response(503, printable(text.error().message));
    }
    co_return HttpResponse{.content_type = "text/plain; version=0.0.4; charset=utf-8",
                           .headers = {},
                           .body = *std::move(text)};
  }
  if (target.parts.size() >= 3 && target.parts[0] == kJobs) {
    co_return co_await show_job(std::move(request), std::move(target), admission);
  }
  co_return plain_response(404, "Not Found");
}

rt::Async<HttpResponse> Portal::show_job(HttpRequest request, Target target, Admission admission) {
  const auto page = co_await deps_.shelf.open(admission, target.parts[1]);
  if (!page.has_value()) {
    const bool unknown = page.error().code == Errc::NotFound;
    co_return plain_response(unknown ? 404 : 503, printable(page.error().message));
  }
  // In "/jobs/ID/api/status", everything from the third slash on is for the job's page.
  const std::string& raw = admission.target;
  admission.target = raw.substr(raw.find('/', raw.find('/', 1) + 1));
  co_return co_await (*page)->answer_admitted(std::move(request), std::move(admission));
}

}  // namespace muster::page
