#include "master/watch/notifier.h"

#include "base/redaction.h"
#include "base/text.h"
#include "notice/document.h"

namespace muster::master {
namespace {

constexpr size_t kTroubleMax = 400;

}  // namespace

Notifier::Notifier(const Deps& deps)
    : deps_(deps),
      policy_(deps.sender == nullptr ? spec::Notify{} : deps.decider.machine().plan().spec.notify),
      ending_(deps.loop),
      changed_(deps.loop) {}

void Notifier::remember(const job::Fact& fact) {
  policy_.take(deps_.decider.machine().plan(), fact);
}

void Notifier::released(const job::Fact& fact) {
  remember(fact);
  // The log contains everything that the machine knows only when no fact is still on its way there.
  if (deps_.decider.all_released()) {
    start_due();
  }
  changed_.pulse();
}

void Notifier::start_due() {
  for (notice::Delivery& delivery : policy_.due(deps_.decider.machine().state())) {
    const Key key(delivery.notice.id, delivery.way);
    if (!sendings_.contains(key)) {
      sendings_[key].running = rt::start(deps_.loop, deliver(std::move(delivery)), [] {});
    }
  }
}

rt::Async<> Notifier::deliver(notice::Delivery delivery) {
  const Key key(delivery.notice.id, delivery.way);
  Sending& sending = sendings_.at(key);
  const HostTime begun = deps_.loop.now();
  while (true) {
    ++sending.tries;
    const Status sent = co_await send(delivery);
    if (sent) {
      sending.trouble.clear();
      enter(key, job::NoticeFate::Delivered);
      co_return;
    }
    sending.trouble = clean(sent.error().message);
    const std::optional<Duration> wait =
        sent.error().blame == Blame::User
            ? std::nullopt
            : notice::wait_before(sending.tries, deps_.loop.now() - begun, ending_.is_set());
    if (!wait) {
      enter(key, job::NoticeFate::GivenUp);
      co_return;
    }
    if (sending.tries == 1) {
      enter(key, job::NoticeFate::Failing);
    }
    if (ending_.is_set()) {
      co_await rt::pause_for(deps_.loop, *wait);
    } else {
      (void)co_await rt::with_deadline(deps_.loop, deps_.loop.now() + *wait, "the next try",
                                       ending_begins());
    }
  }
}

rt::Async<Status> Notifier::send(notice::Delivery delivery) {
  const job::Plan& plan = deps_.decider.machine().plan();
  const job::State& state = deps_.decider.machine().state();
  const notice::Context context{.now = deps_.loop.wall_now(),
                                .on = deps_.options.on,
                                .application_id = deps_.options.application_id,
                                .page = deps_.options.page,
                                .secrets = &deps_.options.secrets};
  Letter letter{.job = plan.job.value,
                .id = delivery.notice.id,
                .on = std::string(to_string(delivery.notice.on)),
                .document = notice::document(delivery.notice, plan, state, context),
                .mail = notice::mail(delivery.notice, plan, state, context, plan.spec.notify.mail)};
  co_return co_await deps_.sender->send(delivery.way, std::move(letter));
}

rt::Async<Status> Notifier::ending_begins() {
  co_await ending_.wait();
  co_return Status();
}

rt::Async<Status> Notifier::all_settled() {
  while (!policy_.due(deps_.decider.machine().state()).empty()) {
    co_await changed_.wait();
  }
  co_return Status();
}

rt::Async<> Notifier::finish() {
  start_due();
  ending_.set();
  (void)co_await rt::with_deadline(deps_.loop, deps_.loop.now() + kEndMax, "the notices",
                                   all_settled());
  for (auto& [key, sending] : sendings_) {
    if (sending.running.active()) {
      sending.running.cancel();
      if (sending.trouble.empty()) {
        sending.trouble = "no answer before the job's end";
      }
      enter(key, job::NoticeFate::GivenUp);
    }
  }
  (void)co_await rt::with_deadline(deps_.loop, deps_.loop.now() + kLogMax, "the log",
                                   all_settled());
}

std::string Notifier::clean(std::string_view trouble) const {
  std::string text = printable(redact(trouble, deps_.options.secrets));
  if (text.size() > kTroubleMax) {
    text = printable(text.substr(0, kTroubleMax)) + "...";
  }
  return text;
}

void Notifier::enter(const Key& key, job::NoticeFate fate) {
  const Sending& sending = sendings_.at(key);
  deps_.log.info("notice.told", {{"notice", key.first},
                                 {"way", to_string(key.second)},
                                 {"fate", to_string(fate)},
                                 {"tries", sending.tries}});
  deps_.decider.enter(job::NoticeTold{.notice = key.first,
                                      .way = key.second,
                                      .fate = fate,
                                      .tries = sending.tries,
                                      .trouble = sending.trouble});
}

}  // namespace muster::master
