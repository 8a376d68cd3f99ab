#include "page/log_routes.h"

#include "base/text.h"
#include "page/log_lines.h"
#include "page/replies.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::page {
namespace {

using net::HttpResponse;

constexpr size_t kStreamsMax = 64;
/// The most that one answer holds of all its streams together, and the least share of each.
constexpr uint64_t kAnswerMax = 1U << 20;
constexpr uint64_t kShareMin = 16U << 10;
constexpr size_t kWordsMax = 16;
constexpr size_t kWordMax = 256;
/// How much one request searches, and in which pieces.
constexpr uint64_t kSearchMax = 64U << 20;
constexpr uint64_t kSearchPiece = 512U << 10;

std::optional<std::vector<std::string>> words_of(const Target& target) {
  std::vector<std::string> words;
  for (const auto& [name, value] : target.query) {
    if (name != "word") {
      continue;
    }
    if (value.empty() || value.size() > kWordMax || words.size() == kWordsMax) {
      return std::nullopt;
    }
    std::string word = value;
    std::ranges::transform(word, word.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    words.push_back(std::move(word));
  }
  return words.empty() ? std::nullopt : std::optional(std::move(words));
}

HttpResponse failure_of(const Error& error) { return plain_reply(503, printable(error.message)); }

}  // namespace

class LogRoutes::Turn {
 public:
  explicit Turn(LogRoutes& routes) : routes_(routes) { routes_.searching_ = true; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    routes_.searching_ = false;
    routes_.searched_.pulse();
  }

 private:
  LogRoutes& routes_;
};

void LogRoutes::grown() {
  ++growths_;
  grown_.pulse();
}

std::optional<LogName> LogRoutes::known(LogName log, std::optional<uint64_t> attempt) const {
  const auto attempts = job_.attempts_of(log.role, log.index);
  const auto asked = attempt.value_or(attempts.value_or(0));
  if (!attempts.has_value() || asked > *attempts || asked == 0) {
    return std::nullopt;
  }
  log.attempt = static_cast<uint32_t>(asked);
  return log;
}

std::optional<LogRoutes::Asked> LogRoutes::parse(std::string_view text) const {
  const std::vector<std::string_view> parts = split(text, '/');
  if (parts.size() < 3 || parts.size() > 5 || (parts[2] != "stdout" && parts[2] != "stderr")) {
    return std::nullopt;
  }
  const size_t colon = parts[0].rfind(':');
  const auto index =
      colon == std::string_view::npos ? std::nullopt : parse_number(parts[0].substr(colon + 1));
  const auto attempt = parse_number(parts[1]);
  if (!index || *index > UINT32_MAX || !attempt) {
    return std::nullopt;
  }
  const auto log = known({.role = std::string(parts[0].substr(0, colon)),
                          .index = static_cast<uint32_t>(*index),
                          .is_err = parts[2] == "stderr"},
                         attempt);
  if (!log) {
    return std::nullopt;
  }
  Asked asked{.log = *log, .wanted = {}, .seen = {}};
  if (parts.size() > 3) {
    const bool before = parts[3].starts_with('-');
    const auto offset = parse_number(parts[3].substr(before ? 1 : 0));
    (before ? asked.wanted.before : asked.wanted.from) = offset;
    if (!offset) {
      return std::nullopt;
    }
  }
  if (parts.size() > 4) {
    asked.seen = parse_number(parts[4]);
  }
  return asked;
}

std::optional<std::vector<LogRoutes::Asked>> LogRoutes::parse_all(const Target& target) const {
  std::vector<Asked> all;
  for (const auto& [name, value] : target.query) {
    if (name != "s") {
      continue;
    }
    auto asked = parse(value);
    if (!asked || all.size() == kStreamsMax) {
      return std::nullopt;
    }
    all.push_back(*std::move(asked));
  }
  for (Asked& asked : all) {
    asked.wanted.limit = std::clamp(kAnswerMax / all.size(), kShareMin, kLogPieceMax);
  }
  return all.empty() ? std::nullopt : std::optional(std::move(all));
}

rt::Async<Result<LogRoutes::Answer>> LogRoutes::look(Asked asked) {
  // Ask before the log is read: what is written meanwhile is seen the next time.
  const bool runs = job_.runs(asked.log);
  auto read = co_await logs_.read(asked.log, asked.wanted);
  if (!read.has_value() && read.error().code != Errc::NotFound) {
    co_return read.error();
  }
  const LogPiece piece = read.has_value() ? *std::move(read) : LogPiece();
  const LogLines lines = lines_of(piece, asked.wanted.from.has_value(), runs);
  Answer answer;
  answer.news = !asked.seen || piece.end > *asked.seen || piece.end < asked.wanted.from.value_or(0);
  answer.waits = runs;
  answer.json = fmt::format(
      R"({{"task":{},"attempt":{},"stream":"{}","runs":{},"begin":{},"end":{},"from":{},"next":{},)"
      R"("open":{},"lines":{}}})",
      json_quote(fmt::format("{}:{}", asked.log.role, asked.log.index)), asked.log.attempt,
      asked.log.is_err ? "stderr" : "stdout", runs, piece.begin, piece.end, lines.from, lines.next,
      lines.open, lines.json);
  co_return answer;
}

rt::Async<HttpResponse> LogRoutes::output(Target target) {
  const auto all = parse_all(target);
  if (!all) {
    co_return not_found();
  }
  const HostTime until = loop_.now() + kHoldMax;
  while (true) {
    const uint64_t seen = growths_;
    bool answers = loop_.now() >= until;
    std::string json;
    for (const Asked& asked : *all) {
      const auto answer = co_await look(asked);
      if (!answer.has_value()) {
        co_return failure_of(answer.error());
      }
      answers = answers || answer->news || !answer->waits;
      json += (json.empty() ? "" : ",") + answer->json;
    }
    if (answers) {
      co_return json_reply(
          fmt::format("{{\"schema\":\"muster.output/1\",\"streams\":[{}]}}\n", json));
    }
    if (seen == growths_) {
      co_await wait_for(&loop_, &grown_, until);
    }
  }
}

/// Reads a piece, and sets `at` to where one of the words is in the log, if there is one. One
/// search at a time: everybody else has their turn of the loop between two pieces, however many are
/// searching.
rt::Async<Result<LogPiece>> LogRoutes::look_for(LogName log, LogWanted wanted,
                                                const std::vector<std::string>* words,
                                                std::optional<uint64_t>* at) {
  co_await rt::next_turn(loop_);  // Behind those who have been waiting.
  while (searching_) {
    co_await searched_.wait();
  }
  const Turn turn(*this);
  auto read = co_await logs_.read(std::move(log), wanted);
  if (!read.has_value() && read.error().code == Errc::NotFound) {
    read = LogPiece();
  }
  if (!read.has_value()) {
    co_return read.error();
  }
  if (const auto found = find_words(read->bytes, *words, !wanted.from.has_value())) {
    *at = read->from + *found;
  }
  co_return read;
}

rt::Async<HttpResponse> LogRoutes::find(Target target) {
  const auto all = parse_all(target);
  const auto words = words_of(target);
  if (!all || all->size() != 1 || !words) {
    co_return not_found();
  }
  LogWanted wanted = all->front().wanted;
  const bool backwards = !wanted.from.has_value();
  const uint64_t overlap = std::ranges::max(*words, {}, &std::string::size).size() - 1;
  wanted.limit = kSearchPiece;
  std::optional<uint64_t> at;
  LogPiece piece;
  for (uint64_t looked = 0; looked < kSearchMax && !at;) {
    auto read = co_await look_for(all->front().log, wanted, &*words, &at);
    if (!read.has_value()) {
      co_return failure_of(read.error());
    }
    piece = *std::move(read);
    looked += piece.bytes.size();
    const bool last = backwards ? piece.from <= piece.begin : piece.next >= piece.end;
    if (last || piece.bytes.size() <= overlap) {
      break;
    }
    (backwards ? wanted.before : wanted.from) =
        backwards ? piece.from + overlap : piece.next - overlap;
  }
  // If nothing was found yet, the search continues from `next`, unless that is the end of the log.
  const bool over = backwards ? piece.from <= piece.begin : piece.next >= piece.end;
  const uint64_t next =
      backwards ? piece.from + (over ? 0 : overlap) : piece.next - (over ? 0 : overlap);
  co_return json_reply(
      fmt::format("{{\"schema\":\"muster.find/"
                  "1\",\"at\":{},\"next\":{},\"over\":{},\"begin\":{},\"end\":{}}}\n",
                  at ? fmt::to_string(*at) : "null", next, over && !at, piece.begin, piece.end));
}

rt::Async<HttpResponse> LogRoutes::text(Target target) {
  const auto index = parse_number(target.parts[2]);
  const auto log = !index || *index > UINT32_MAX
                       ? std::nullopt
                       : known({.role = target.parts[1],
                                .index = static_cast<uint32_t>(*index),
                                .is_err = target.value("stream") == "stderr"},
                               target.number("attempt"));
  if (!log.has_value()) {
    co_return not_found();
  }
  auto piece = co_await logs_.read(*log, {});
  if (!piece.has_value() && piece.error().code != Errc::NotFound) {
    co_return failure_of(piece.error());
  }
  co_return HttpResponse{.headers = {{"Content-Security-Policy", "default-src 'none'; sandbox"}},
                         .body = piece.has_value() ? std::move(piece->bytes) : std::string()};
}

}  // namespace muster::page
