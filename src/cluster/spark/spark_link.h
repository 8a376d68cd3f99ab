#pragma once

#include "base/log.h"
#include "cluster/link.h"
#include "cluster/spark/driver_line.h"
#include "cluster/spark/messages.h"
#include "job/plan.h"
#include "rt/fd.h"
#include "rt/io_loop.h"
#include "rt/running.h"
#include "rt/scope.h"
#include "rt/wait.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::cluster::spark {

struct SparkLinkOptions {
  const job::Plan* plan = nullptr;  ///< Outlives the link.
  rt::Fd driver;                    ///< The socket to the driver's Python.
};

/// The master's link to a Spark application, through the driver's Python at the other end of a
/// socket.
///
/// The driver decides where a container is placed and reports its end; it learns from Spark about
/// containers whose executor is lost. When the driver ends, the job is asked to stop and every
/// container counts as gone, since nothing is left that could report it. Lives on the loop's
/// thread.
class SparkLink final : public Link {
 public:
  SparkLink(rt::IoLoop& loop, log::Sink& log, SparkLinkOptions options);

  Status start(std::vector<job::ContainerId> known, OnFact on_fact) override;
  void request(const job::RequestContainer& request) override;
  void cancel(job::RequestId request) override;
  void launch(const LaunchOrder& order) override;
  void release(const job::ContainerId& container, Confirm confirm) override;
  void reconcile() override;
  [[nodiscard]] bool known_dead(const job::ContainerId& container) const override;
  [[nodiscard]] std::string waits_for() const override { return waits_for_; }
  void finish(const job::Outcome& outcome, std::function<void()> done) override;

 private:
  struct Container {
    Granted grant;
    bool launched = false;
    bool released = false;
  };

  [[nodiscard]] rt::Async<> deliver(job::Fact fact);
  [[nodiscard]] rt::Async<Status> all_ended();
  void on_line(std::string_view line);
  void on_closed(const std::string& why);
  void on(const Granted& granted);
  void on(const job::ContainerEnded& ended);
  void on(const Waits& waits);
  void on(const Finished&) { finished_.set(); }
  template <class PlainFact>
  void on(const PlainFact& fact) {
    on_fact_(fact);
  }

  rt::IoLoop& loop_;
  log::Logger log_;
  const job::Plan* plan_;
  OnFact on_fact_;
  std::set<job::RequestId> asked_;
  std::map<job::ContainerId, Container> containers_;
  std::string waits_for_;
  bool closed_ = false;
  DriverLine line_;
  rt::Event finished_;  ///< All Spark tasks of the job have ended, or nothing is left to say so.
  rt::Scope scope_;     ///< The coroutines last: they use the rest.
  rt::Running finishing_;
};

}  // namespace muster::cluster::spark
