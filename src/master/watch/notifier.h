#pragma once

#include "base/log.h"
#include "eventlog/log_file.h"
#include "master/decider.h"
#include "master/deps.h"
#include "master/watch/notice_sender.h"
#include "notice/policy.h"
#include "rt/loop.h"
#include "rt/running.h"
#include "rt/wait.h"

#include <map>
#include <string>
#include <utility>

namespace muster::master {

/// Has notices sent, and enters the results as facts. A notice is sent once everything it mentions
/// is in the log, and retried until it is delivered or given up; nothing waits for it but finish().
class Notifier {
 public:
  struct Deps {
    rt::Loop& loop;
    log::Logger log;
    Decider& decider;
    const MasterOptions& options;
    NoticeSender* sender;  ///< None: no notices.
  };

  explicit Notifier(const Deps& deps);
  Notifier(const Notifier&) = delete;
  Notifier& operator=(const Notifier&) = delete;

  /// A fact that an earlier master has logged.
  void remember(const job::Fact& fact);
  /// A fact is in the log, perhaps the last one under way.
  void released(const job::Fact& fact);
  /// The job has ended: keeps trying for kEndMax, then gives up what is left, and returns when that
  /// is in the log (or after another kLogMax).
  [[nodiscard]] rt::Async<> finish();

  static constexpr Duration kEndMax = std::chrono::seconds(10);
  static constexpr Duration kLogMax = std::chrono::seconds(1);

 private:
  using Key = std::pair<std::string, job::NoticeWay>;
  struct Sending {
    rt::Running running;
    uint32_t tries = 0;
    std::string trouble;
  };

  void start_due();
  [[nodiscard]] rt::Async<> deliver(notice::Delivery delivery);
  [[nodiscard]] rt::Async<Status> send(notice::Delivery delivery);
  [[nodiscard]] rt::Async<Status> ending_begins();
  [[nodiscard]] rt::Async<Status> all_settled();
  [[nodiscard]] std::string clean(std::string_view trouble) const;
  void enter(const Key& key, job::NoticeFate fate);

  Deps deps_;
  notice::Policy policy_;
  rt::Event ending_;
  rt::Event changed_;
  std::map<Key, Sending> sendings_;  ///< Last: they use the rest. Kept to the end.
};

}  // namespace muster::master
