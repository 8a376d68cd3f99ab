#include "notice/policy.h"

#include "base/overloaded.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

namespace muster::notice {
namespace {

constexpr Duration kWaitMin = std::chrono::seconds(1);
constexpr Duration kWaitMax = std::chrono::minutes(1);
constexpr Duration kWaitMaxAtEnd = std::chrono::seconds(2);

bool has_run(const job::State& state) { return state.chronicle.reached("running"); }

}  // namespace

void Policy::take(const job::Plan& plan, const job::Fact& fact) {
  std::visit(Overloaded{[this](const job::NoticeTold& told) { note(told); },
                        [&](const job::AttemptStalled& stalled) { note(plan, stalled); },
                        [](const auto&) {}},
             fact);
}

void Policy::note(const job::NoticeTold& told) {
  if (told.fate != job::NoticeFate::Failing) {
    settled_.emplace_back(told.notice, told.way);
  }
}

void Policy::note(const job::Plan& plan, const job::AttemptStalled& stalled) {
  const bool over = stalled.silent == Duration::zero();
  if (over || stalled.sure == job::Sureness::Sign || stalls_.size() >= kStallsMax) {
    return;
  }
  Notice notice{.id = fmt::format("stall:{}#{}", to_string(plan, stalled.attempt.task),
                                  stalled.attempt.number),
                .on = spec::Occasion::Stall,
                .attempt = stalled.attempt,
                .silent = stalled.silent};
  if (std::ranges::find(stalls_, notice.id, &Notice::id) == stalls_.end()) {
    stalls_.push_back(std::move(notice));
  }
}

std::vector<Delivery> Policy::due(const job::State& state) const {
  std::vector<Delivery> due;
  const std::vector<job::NoticeWay> ways = this->ways();
  if (ways.empty()) {
    return due;
  }
  for (const Notice& notice : noticed(state)) {
    for (const job::NoticeWay way : ways) {
      if (std::ranges::find(settled_, std::pair(notice.id, way)) == settled_.end()) {
        due.push_back({notice, way});
      }
    }
  }
  return due;
}

bool Policy::wants(spec::Occasion occasion) const {
  return std::ranges::find(wanted_.on, occasion) != wanted_.on.end();
}

std::vector<job::NoticeWay> Policy::ways() const {
  std::vector<job::NoticeWay> ways;
  if (!wanted_.command.empty()) {
    ways.push_back(job::NoticeWay::Command);
  }
  if (!wanted_.hook.empty()) {
    ways.push_back(job::NoticeWay::Hook);
  }
  if (!wanted_.mail.empty()) {
    ways.push_back(job::NoticeWay::Mail);
  }
  return ways;
}

std::vector<Notice> Policy::noticed(const job::State& state) const {
  std::vector<Notice> all;
  const auto add = [&](spec::Occasion on, bool happened) {
    if (happened && wants(on)) {
      all.push_back({.id = std::string(to_string(on)), .on = on, .attempt = {}, .silent = {}});
    }
  };
  add(spec::Occasion::Start, has_run(state));
  add(spec::Occasion::FirstCause, state.chronicle.first_cause().has_value());
  if (wants(spec::Occasion::Stall)) {
    all.insert(all.end(), stalls_.begin(), stalls_.end());
  }
  add(spec::Occasion::End, state.phase == job::JobPhase::Ended && state.outcome.has_value());
  return all;
}

std::optional<Duration> wait_before(uint32_t tries, Duration since, bool ending) {
  const Duration wait =
      std::min(kWaitMin * (int64_t{1} << std::clamp<uint32_t>(tries, 1, 10)) / 2, kWaitMax);
  if (since + wait > kTryFor) {
    return std::nullopt;
  }
  return ending ? std::min(wait, kWaitMaxAtEnd) : wait;
}

}  // namespace muster::notice
