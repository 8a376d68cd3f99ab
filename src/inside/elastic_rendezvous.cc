#include "inside/elastic_rendezvous.h"

#include "base/text.h"
#include "inside/peers.h"
#include "net/address.h"
#include "rt/running.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

namespace muster::inside {
namespace {

constexpr std::string_view kPlaces = "rank_and_size";
constexpr std::string_view kDesks = "worker_addresses";
constexpr std::string_view kMembers = "member";
/// As long as horovodrun waits for enough members: others only arrive at their next commit.
constexpr Duration kPlacePatience = std::chrono::minutes(10);

net::HttpResponse simple(int status, std::string body) {
  return {.status = status, .headers = {}, .body = std::move(body)};
}

/// Returns SCOPE of "/SCOPE/KEY"; "" for any other form.
std::string_view scope_of(std::string_view target) {
  const std::vector<std::string_view> parts = split(target, '/');
  return parts.size() == 3 ? parts[1] : "";
}

template <class T>
std::optional<T> number_of(std::string_view text) {
  T number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole ? std::optional(number) : std::nullopt;
}

}  // namespace

ElasticRendezvous::ElasticRendezvous(rt::IoLoop& loop, rt::Fd listening, Options options,
                                     OnRound on_round, JobServer::Refused refused)
    : loop_(loop),
      options_(std::move(options)),
      on_round_(std::move(on_round)),
      world_(options_.members_min),
      store_(loop),
      formed_(loop),
      notices_(loop, [this] { notify_if_due(); }),
      server_(loop, std::move(listening), Peers(options_.view_file), std::move(refused),
              {.handler = [this](net::HttpRequest request,
                                 const std::string&) { return answer(std::move(request)); },
               .patience = kPlacePatience,
               .at_once = [this](net::HttpRequest& request) { return answer_at_once(request); }}) {
  watch_view();
  read_view();
}

ElasticRendezvous::~ElasticRendezvous() { loop_.cancel(late_timer_); }

std::optional<ElasticWorld::Index> ElasticRendezvous::index_of(
    std::string_view name_and_rank) const {
  const std::string_view name = name_and_rank.substr(0, name_and_rank.find(':'));
  const size_t dash = name.rfind('-');
  if (dash == std::string_view::npos || name.substr(0, dash) != options_.role) {
    return std::nullopt;
  }
  return number_of<Index>(name.substr(dash + 1));
}

std::optional<std::string_view> ElasticRendezvous::answer_at_once(net::HttpRequest& request) {
  const std::string_view scope = scope_of(request.target);
  const bool plain = scope != kPlaces && scope != kDesks && scope != kMembers;
  return plain ? store_.answer_at_once(request) : std::nullopt;
}

rt::Async<net::HttpResponse> ElasticRendezvous::answer(net::HttpRequest request) {
  const std::vector<std::string_view> parts = split(request.target, '/');
  const std::string_view scope = scope_of(request.target);
  if (scope == kMembers && request.upgrade == "muster-member") {
    const size_t dot = parts[2].find('.');
    const auto index = number_of<Index>(parts[2].substr(0, dot));
    const auto attempt =
        number_of<uint64_t>(parts[2].substr(dot == std::string_view::npos ? 0 : dot + 1));
    co_return index&& attempt ? take_member(*index, *attempt)
                              : simple(400, "must be of the form /member/INDEX.ATTEMPT\n");
  }
  if (scope != kPlaces && scope != kDesks) {
    co_return co_await store_.answer(std::move(request));
  }
  const std::optional<Index> index = index_of(parts[2]);
  if (!index) {
    co_return simple(400, fmt::format("must name a task as {}-0:0\n", options_.role));
  }
  if (request.method == "PUT" && scope == kDesks) {
    co_return register_desk(*index, request.body);
  }
  if (request.method != "GET" || scope != kPlaces) {
    co_return simple(405, "must be GET for a place, PUT for addresses\n");
  }
  co_return co_await next_place(*index);
}

rt::Async<net::HttpResponse> ElasticRendezvous::next_place(Index index) {
  world_.ask_again(index);
  const uint64_t before = world_.round();
  settle();
  co_await until_round_after(before);
  const auto place = world_.place_of(index);
  // -1: it no longer takes part, and ends.
  co_return simple(200, place ? fmt::format("{0},{1},0,1,{0},{1}", place->rank, place->size)
                              : std::string("-1,-1,-1,-1,-1,-1"));
}

net::HttpResponse ElasticRendezvous::register_desk(Index index, std::string_view text) {
  Result<NoticeDesk> desk = parse_notice_desk(text);
  if (!desk.has_value()) {
    return simple(400, desk.error().message + "\n");
  }
  desks_[index] = *std::move(desk);
  notify_if_due();
  return simple(200, "");
}

net::HttpResponse ElasticRendezvous::take_member(Index index, uint64_t attempt) {
  net::HttpResponse response = simple(101, "");
  response.headers = {{"Upgrade", "muster-member"}};
  response.upgraded = [this, index, attempt](net::Stream* stream, const std::string&) {
    return attend(stream, index, attempt);
  };
  return response;
}

rt::Async<> ElasticRendezvous::attend(net::Stream* stream, Index index, uint64_t attempt) {
  world_.arrive(index, attempt);
  desks_.erase(index);
  begin_to_wait();
  const rt::Running telling =
      rt::start(loop_, tell_first_place(stream, index), [](const Status&) {});
  settle();
  std::array<uint8_t, 64> ignored{};
  while (true) {
    const auto got = co_await stream->read_some(ignored);
    if (!got.has_value() || *got == 0) {
      break;
    }
  }
  world_.leave(index, attempt);
  settle();
}

rt::Async<Status> ElasticRendezvous::tell_first_place(net::Stream* stream, Index index) {
  while (!world_.place_of(index)) {
    co_await until_round_after(world_.round());
  }
  const ElasticWorld::Place place = *world_.place_of(index);
  const std::string line = fmt::format("{} {}\n", place.rank, place.size);
  co_return co_await stream->write({reinterpret_cast<const uint8_t*>(line.data()), line.size()});
}

rt::Async<> ElasticRendezvous::until_round_after(uint64_t round) {
  while (world_.round() == round) {
    co_await formed_.wait();
  }
}

/// The file is replaced, not written to, so its folder is watched.
void ElasticRendezvous::watch_view() {
  auto watch = os::watch_file(loop_, options_.view_file.parent_path(), [this] { read_view(); });
  if (watch.has_value()) {
    view_watch_ = *std::move(watch);
  }
}

void ElasticRendezvous::read_view() {
  std::map<Index, std::string> view = role_in_view(text_of(options_.view_file), options_.role);
  if (view == view_) {
    return;
  }
  view_ = std::move(view);
  world_.see(view_);
  begin_to_wait();
  settle();
}

void ElasticRendezvous::begin_to_wait() {
  without_late_ = false;
  loop_.cancel(late_timer_);
  late_timer_ = loop_.call_after(options_.late, [this] {
    without_late_ = true;
    settle();
  });
}

void ElasticRendezvous::settle() {
  if (world_.settle(without_late_)) {
    store_.clear();
    notices_.begin_round();
    on_round_(world_.round(), world_.ranks());
    formed_.pulse();
  }
  notify_if_due();
}

/// Running members come to the next round by themselves if one of them is lost, but must be told
/// about newcomers. In Horovod rank 0 tells the others.
void ElasticRendezvous::notify_if_due() {
  std::vector<Index> newcomers = world_.newcomers();
  if (world_.ranks().empty() || !notices_.wants(newcomers)) {
    return;
  }
  const Index first = world_.ranks().front();
  const auto desk = desks_.find(first);
  const auto seen = view_.find(first);
  if (world_.waits(first) || !world_.place_of(first) || desk == desks_.end() ||
      seen == view_.end()) {
    return;
  }
  const auto address = net::parse_host_port(seen->second);
  if (!address.has_value()) {
    return;
  }
  notices_.send({.host = address->host, .port = desk->second.port}, desk->second.key,
                std::move(newcomers));
}

}  // namespace muster::inside
