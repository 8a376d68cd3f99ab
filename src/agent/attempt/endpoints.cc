#include "agent/attempt/endpoints.h"

#include "base/text.h"
#include "job/fact.h"
#include "rt/wait.h"
#include "spec/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

namespace muster::agent {
namespace {

constexpr size_t kLineMax = 2048;
constexpr size_t kPagesMax = 16;
/// Per attempt.
constexpr size_t kConnectionsMax = 64;
/// Each change is a fact, and facts are kept as long as the job: this many at once, then one per
/// kChangeTime.
constexpr int kChangesAtOnce = 32;
constexpr Duration kChangeTime = std::chrono::seconds(1);
/// A program that has connected should send its line at once.
constexpr Duration kLinePatience = std::chrono::seconds(10);

/// Reads up to the next line break, which must come soon and is not returned; nullopt at the end.
rt::Async<std::optional<std::string>> read_line(rt::Loop* loop, net::Stream* stream) {
  std::string line;
  std::array<uint8_t, 1> byte{};
  while (line.size() < kLineMax) {
    auto reading = stream->read_some(byte);
    const auto read = co_await rt::with_deadline(*loop, loop->now() + kLinePatience, "a line",
                                                 std::move(reading));
    if (!read.has_value() || *read == 0) {
      break;
    }
    if (byte[0] == '\n') {
      co_return line;
    }
    line += static_cast<char>(byte[0]);
  }
  co_return std::nullopt;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const size_t end = std::min(line.find(' '), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

std::optional<uint16_t> port_of(std::string_view text) {
  uint16_t port = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool whole = read.ec == std::errc{} && read.ptr == text.data() + text.size();
  return whole && port != 0 ? std::optional(port) : std::nullopt;
}

}  // namespace

std::string Endpoints::open(job::AttemptId id) {
  if (deps_.listeners == nullptr) {
    return "";
  }
  auto listener = deps_.listeners->listen([this, id](std::unique_ptr<net::Stream> connection) {
    const auto entry = attempts_.find(id);
    if (entry != attempts_.end() && entry->second.connections < kConnectionsMax) {
      ++entry->second.connections;
      scope_.spawn(serve(id, std::move(connection)));
    }
  });
  if (!listener.has_value()) {
    deps_.log.warning("endpoints.no-socket", {{"error", listener.error().message}});
    return "";
  }
  std::string address = (*listener)->address();
  attempts_[id] = {.listener = *std::move(listener), .pages = {}};
  return address;
}

void Endpoints::declare(job::AttemptId id, std::map<std::string, job::TaskPage> pages) {
  for (auto& [name, page] : pages) {
    // The program may already have published it itself.
    if (attempts_[id].pages.emplace(name, page).second) {
      deps_.log.info("endpoint.declared", {{"name", name}, {"port", page.port}});
      deps_.observer.tell(job::EndpointPublished{id, name, job::url_of(page)});
    }
  }
}

void Endpoints::publish_all() {
  for (const auto& [id, entry] : attempts_) {
    for (const auto& [name, page] : entry.pages) {
      deps_.observer.tell(job::EndpointPublished{id, name, job::url_of(page)});
    }
  }
}

rt::Async<> Endpoints::serve(job::AttemptId id, std::unique_ptr<net::Stream> connection) {
  co_await talk(id, connection.get());
  if (const auto entry = attempts_.find(id); entry != attempts_.end()) {
    --entry->second.connections;
  }
}

rt::Async<> Endpoints::talk(job::AttemptId id, net::Stream* connection) {
  while (true) {
    const auto line = co_await read_line(&deps_.loop, connection);
    if (!line) {
      co_return;
    }
    Answer answer = publish(id, *line);
    if (answer.when > deps_.loop.now()) {
      co_await rt::pause_until(deps_.loop, answer.when);
    }
    answer.text += '\n';
    const std::span sent(reinterpret_cast<const uint8_t*>(answer.text.data()), answer.text.size());
    auto writing = connection->write(sent);
    const auto written = co_await rt::with_deadline(deps_.loop, deps_.loop.now() + kLinePatience,
                                                    "a reader", std::move(writing));
    if (!written.has_value()) {
      co_return;
    }
  }
}

Endpoints::Answer Endpoints::publish(job::AttemptId id, std::string_view line) {
  const auto found = attempts_.find(id);
  const std::vector<std::string_view> words = words_of(line);
  if (found == attempts_.end() || words.size() < 2 || words.size() > 3) {
    return {"error: send NAME PORT, or NAME PORT PATH"};
  }
  std::string name(words[0]);
  if (const std::string wrong = spec::wrong_endpoint_name(name); !wrong.empty()) {
    return {"error: " + printable(wrong)};
  }
  const auto port = port_of(words[1]);
  if (!port) {
    return {fmt::format("error: `{}` is not a port", printable(words[1]))};
  }
  job::TaskPage page{.port = *port, .path = words.size() > 2 ? std::string(words[2]) : "/"};
  if (const std::string wrong = spec::wrong_page_path(page.path); !wrong.empty()) {
    return {"error: " + printable(wrong)};
  }
  auto& pages = found->second.pages;
  if (!pages.contains(name) && pages.size() >= kPagesMax) {
    return {fmt::format("error: an attempt publishes at most {} endpoints", kPagesMax)};
  }
  if (pages[name] != page) {
    pages[name] = page;
    HostTime& paid_until = found->second.paid_until;
    paid_until = std::max(paid_until, deps_.loop.now() - (kChangesAtOnce * kChangeTime));
    paid_until += kChangeTime;
    const HostTime when = paid_until;
    deps_.log.info("endpoint.published", {{"name", name}, {"port", page.port}});
    deps_.observer.tell(job::EndpointPublished{id, std::move(name), job::url_of(page)});
    return {.text = "ok", .when = when};
  }
  return {"ok"};
}

}  // namespace muster::agent
