#pragma once

#include "agent/attempt/attempt_observer.h"
#include "base/log.h"
#include "base/time.h"
#include "job/ids.h"
#include "job/task_page.h"
#include "net/local_listener.h"
#include "rt/loop.h"
#include "rt/scope.h"

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace muster::agent {

/// The pages that programs of this agent's attempts say they serve. Each attempt has a socket, to
/// which a program writes lines "NAME PORT [PATH]"; for each line it reads back "ok" or "error:
/// WHY". Each change becomes a fact of the job; after a burst, answers are limited to one a second.
/// Attempts do not use up each other's connections. Lives on the loop's thread.
class Endpoints {
 public:
  struct Deps {
    rt::Loop& loop;
    log::Logger log;
    net::LocalListeners* listeners;  ///< nullptr: programs cannot say so.
    AttemptObserver& observer;
  };

  explicit Endpoints(const Deps& deps) : deps_(deps), scope_(deps_.loop) {}
  Endpoints(const Endpoints&) = delete;
  Endpoints& operator=(const Endpoints&) = delete;

  /// Listens for an attempt's programs. Returns the value for MUSTER_PUBLISH, "" if nothing
  /// listens.
  [[nodiscard]] std::string open(job::AttemptId id);
  /// Publishes the pages that the job's specification declares for a running attempt. A page that
  /// its program publishes under the same name replaces the declared one.
  void declare(job::AttemptId id, std::map<std::string, job::TaskPage> pages);
  /// Forgets what the attempt published.
  void close(job::AttemptId id) { attempts_.erase(id); }
  /// Publishes everything to the master again, which may have been away.
  void publish_all();

 private:
  struct Entry {
    std::unique_ptr<net::LocalListener> listener;
    std::map<std::string, job::TaskPage> pages;
    size_t connections = 0;
    HostTime paid_until{};  ///< What was changed up to now is answered by then.
  };

  struct Answer {
    std::string text;
    HostTime when{};  ///< Not before.
  };

  rt::Async<> serve(job::AttemptId id, std::unique_ptr<net::Stream> connection);
  rt::Async<> talk(job::AttemptId id, net::Stream* connection);
  [[nodiscard]] Answer publish(job::AttemptId id, std::string_view line);

  Deps deps_;
  std::map<job::AttemptId, Entry> attempts_;
  rt::Scope scope_;  ///< Last: its coroutines use all of the above.
};

}  // namespace muster::agent
