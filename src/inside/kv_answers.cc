#include "inside/kv_answers.h"

#include <chrono>
#include <utility>

namespace muster::inside {
namespace {

/// How long a GET waits for its value, and how many may: each holds a descriptor.
constexpr Duration kWait = std::chrono::milliseconds(250);
constexpr size_t kWaitingMax = 512;

net::HttpResponse plain(int status, std::string body) {
  return {.status = status, .headers = {}, .body = std::move(body)};
}

struct Name {
  std::string_view scope;
  std::string_view key;
};

/// Splits "/SCOPE/KEY".
std::optional<Name> name_in(std::string_view target) {
  const size_t slash = target.find('/', 1);
  if (target.empty() || slash == std::string_view::npos) {
    return std::nullopt;
  }
  const Name name{.scope = target.substr(1, slash - 1), .key = target.substr(slash + 1)};
  const bool complete = target.front() == '/' && !name.scope.empty() && !name.key.empty() &&
                        name.key.find('/') == std::string_view::npos;
  return complete ? std::optional(name) : std::nullopt;
}

/// Counts one more as long as it exists.
class Counted {
 public:
  explicit Counted(size_t& count) : count_(&count) { ++*count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --*count_; }

 private:
  size_t* count_;
};

}  // namespace

std::optional<std::string_view> KvAnswers::answer_at_once(net::HttpRequest& request) {
  const std::optional<Name> name = name_in(request.target);
  if (!name) {
    return std::nullopt;
  }
  if (request.method == "GET") {
    const std::string* const value = store_.find(name->scope, name->key);
    return value == nullptr ? std::nullopt : std::optional<std::string_view>(*value);
  }
  if (request.method == "DELETE") {
    store_.finish(name->scope, name->key);
    return "";
  }
  if (request.method != "PUT" || !store_.put(name->scope, name->key, std::move(request.body))) {
    return std::nullopt;
  }
  put_.pulse();
  return "";
}

rt::Async<Status> KvAnswers::until_put(std::string scope, std::string key) {
  const Counted counted(waiting_);
  while (store_.find(scope, key) == nullptr) {
    co_await put_.wait();
  }
  co_return Status();
}

rt::Async<net::HttpResponse> KvAnswers::answer(net::HttpRequest request) {
  const std::optional<Name> name = name_in(request.target);
  if (!name) {
    co_return plain(400, "must be of the form /SCOPE/KEY\n");
  }
  if (request.method == "PUT") {
    const Status put = store_.put(name->scope, name->key, std::move(request.body));
    put_.pulse();
    co_return put.has_value() ? plain(200, "") : plain(413, put.error().message + "\n");
  }
  if (request.method == "DELETE") {
    store_.finish(name->scope, name->key);
    co_return plain(200, "");
  }
  if (request.method != "GET") {
    co_return plain(405, "must be GET, PUT or DELETE\n");
  }
  if (waiting_ < kWaitingMax) {
    auto value = until_put(std::string(name->scope), std::string(name->key));
    (void)co_await rt::with_deadline(loop_, loop_.now() + kWait, "a value", std::move(value));
  }
  const std::string* const value = store_.find(name->scope, name->key);
  if (value == nullptr) {
    co_return plain(404, "");
  }
  net::HttpResponse response = plain(200, *value);
  response.content_type = "application/octet-stream";
  co_return response;
}

}  // namespace muster::inside
