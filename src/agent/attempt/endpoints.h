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

/// The pages that programs of this agent's attempts say they serve, by a socket that each attempt
/// has: a program sends lines "NAME PORT [PATH]" and reads for each of them "ok", or "error: WHY".
/// Each change is a fact of the job: after some the answers come one a second. Attempts do not take
/// each other's connections. Lives on the loop's thread.
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

  /// Listens for an attempt's programs; returns what MUSTER_PUBLISH is to be, "" where nothing
  /// listens.
  [[nodiscard]] std::string open(job::AttemptId id);
  /// Publishes what the job's specification says of an attempt that runs. What its program
  /// publishes under the same name replaces it.
  void declare(job::AttemptId id, std::map<std::string, job::TaskPage> pages);
  /// Forgets what the attempt published.
  void close(job::AttemptId id) { attempts_.erase(id); }
  /// Tells the master again of all: it may have been away.
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
