#include "inside/newcomer_notices.h"

#include "inside/horovod_notice.h"
#include "net/stream.h"
#include "rt/wait.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace muster::inside {
namespace {

/// How long until a notice that did not arrive is sent again.
constexpr Duration kNoticeAgain = std::chrono::milliseconds(250);
constexpr Duration kNoticePatience = std::chrono::seconds(10);

}  // namespace

NewcomerNotices::NewcomerNotices(rt::IoLoop& loop, std::function<void()> look_again)
    : loop_(loop), look_again_(std::move(look_again)), dialer_(loop) {}

NewcomerNotices::~NewcomerNotices() { loop_.cancel(again_timer_); }

bool NewcomerNotices::wants(const std::vector<Index>& newcomers) const {
  return !newcomers.empty() && newcomers != told_ && !under_way_.active();
}

void NewcomerNotices::begin_round() {
  told_.clear();
  ++round_;
}

void NewcomerNotices::send(net::HostPort desk, std::string key, std::vector<Index> newcomers) {
  under_way_ = rt::start(
      loop_, notify(std::move(desk), std::move(key)),
      [this, newcomers = std::move(newcomers), round = round_](const Status& sent) {
        if (sent.has_value() && round == round_) {
          told_ = newcomers;
        }
        loop_.cancel(again_timer_);
        again_timer_ = loop_.call_after(sent.has_value() ? Duration::zero() : kNoticeAgain,
                                        [this] { look_again_(); });
      });
}

rt::Async<Status> NewcomerNotices::notify(net::HostPort desk, std::string key) {
  const HostTime until = loop_.now() + kNoticePatience;
  const auto now =
      std::chrono::duration_cast<std::chrono::milliseconds>(loop_.wall_now().time_since_epoch());
  last_time_ = std::max(last_time_ + 1, static_cast<int64_t>(now.count()));
  const std::string message = members_added_notice(key, last_time_);
  auto dialled = co_await rt::with_deadline(loop_, until, "rank 0", dialer_.dial(desk));
  MUSTER_CO_TRY(const std::unique_ptr<net::Stream> stream, std::move(dialled));
  auto written = co_await rt::with_deadline(
      loop_, until, "rank 0 to take a notice",
      stream->write({reinterpret_cast<const uint8_t*>(message.data()), message.size()}));
  MUSTER_CO_TRY_STATUS(std::move(written));
  // The receiver acknowledges what it has accepted, and says nothing if it rejected the message.
  std::array<uint8_t, 64> answer{};
  auto got = co_await rt::with_deadline(loop_, until, "rank 0 to take a notice",
                                        stream->read_some(answer));
  MUSTER_CO_TRY(const size_t size, std::move(got));
  co_return size > 0 ? Status() : Status(user_error("rank 0 did not take the notice"));
}

}  // namespace muster::inside
