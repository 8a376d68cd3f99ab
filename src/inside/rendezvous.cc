#include "inside/rendezvous.h"

#include "base/text.h"

#include <string>
#include <utility>
#include <vector>

namespace muster::inside {
namespace {

net::HttpResponse plain(int status, std::string body) {
  return {.status = status, .headers = {}, .body = std::move(body)};
}

}  // namespace

net::HttpResponse answer_from(KvStore& store, net::HttpRequest& request) {
  const std::vector<std::string_view> parts = split(request.target, '/');
  if (parts.size() != 3 || !parts[0].empty() || parts[1].empty() || parts[2].empty()) {
    return plain(400, "must be of the form /SCOPE/KEY\n");
  }
  if (request.method == "PUT") {
    const Status put = store.put(parts[1], parts[2], std::move(request.body));
    return put.has_value() ? plain(200, "") : plain(413, put.error().message + "\n");
  }
  if (request.method == "DELETE") {
    return plain(200, "");
  }
  if (request.method != "GET") {
    return plain(405, "must be GET, PUT or DELETE\n");
  }
  const std::string* const value = store.find(parts[1], parts[2]);
  if (value == nullptr) {
    return plain(404, "");
  }
  net::HttpResponse response = plain(200, *value);
  response.content_type = "application/octet-stream";
  return response;
}

Rendezvous::Rendezvous(rt::IoLoop& loop, rt::Fd listening, Peers peers, JobServer::Refused refused)
    : server_(loop, std::move(listening), std::move(peers), std::move(refused),
              [this](net::HttpRequest request, const std::string&) {
                return answer(std::move(request));
              }) {}

rt::Async<net::HttpResponse> Rendezvous::answer(net::HttpRequest request) {
  co_return answer_from(store_, request);
}

}  // namespace muster::inside
