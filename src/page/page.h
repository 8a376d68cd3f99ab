#pragma once

#include "net/http_server.h"
#include "net/stream.h"
#include "page/access.h"
#include "page/job_view.h"
#include "page/log_routes.h"
#include "page/target.h"
#include "rt/loop.h"
#include "rt/wait.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace muster::page {

/// The job's page: answers the requests of people's browsers about one job. All but one only read.
/// What changed is pushed by answers that wait for it: a plain HTTP proxy passes these, and no
/// WebSocket.
///
///     /  /app.js ...            the document and what belongs to it: nothing of the job
///     /api/session              POST the link's token: a session (Access)
///     /api/stop                 POST the owner's token: the job stops
///     /api/status               the status document
///     /api/changes?after=N      the same with a version, once that is not N, or after 20 s;
///                               &events=M: with what happened from event M on, or once there is
///                               such; &viewer=NAME: whoever asks again soon is told the job's end
///     /api/job                  what was asked for: specification, plan, who, when
///     /api/output /api/find /logs/...   see LogRoutes
///     /api/metrics              ?task= &name= (either may be repeated) &from= &step=: series
///     /api/metrics/names        which names there are
///     /metrics                  the latest values, for Prometheus
///     /tensorboard/...          what TensorBoard answers
///     /endpoints/NAME/...       what a page answers that a task has published, to any method
///
/// Lives on the loop's thread.
class Page {
 public:
  struct Deps {
    rt::Loop& loop;
    const JobView& job;
    LogSource& logs;
    Access& access;
    net::Dialer& dialer;           ///< To programs beside tasks.
    net::Dialer* tasks = nullptr;  ///< The same by their agents; nullptr if there are none.
    std::vector<std::string> host_names = {};            ///< Names that may address this machine.
    std::function<void(std::string by)> stop = nullptr;  ///< None: the job cannot be stopped.
  };

  explicit Page(Deps deps);
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;

  /// Serves a connection that speaks HTTP.
  void serve(std::unique_ptr<net::Stream> stream) { server_.serve(std::move(stream)); }
  /// Answers a request that has been admitted already, for pages below another page's addresses.
  [[nodiscard]] rt::Async<net::HttpResponse> answer_admitted(net::HttpRequest request,
                                                             Admission admission);
  /// Something that the status shows may have changed.
  void changed();
  /// There may be more of a log.
  void grown();
  /// Returns whether no answer is under way or waiting, and every viewer still looking has been
  /// told of the job's end.
  [[nodiscard]] bool served() const;
  /// `served` is called, from the event loop, when served() has become true.
  void on_served(std::function<void()> served) { server_.on_idle(std::move(served)); }

 private:
  [[nodiscard]] rt::Async<net::HttpResponse> answer(net::HttpRequest request, std::string peer);
  [[nodiscard]] rt::Async<net::HttpResponse> show_job(Target target);
  [[nodiscard]] net::HttpResponse stop(const net::HttpRequest& request);
  [[nodiscard]] rt::Async<net::HttpResponse> show_board(net::HttpRequest request,
                                                        std::string target);
  [[nodiscard]] rt::Async<net::HttpResponse> show_endpoint(net::HttpRequest request,
                                                           Admission admission);
  [[nodiscard]] rt::Async<net::HttpResponse> changes(Target target);
  [[nodiscard]] net::HttpResponse metrics(const Target& target) const;
  void note_viewer(std::string_view name, bool told_all);

  Deps deps_;
  std::map<std::string, HostTime> viewers_;  ///< Those that ask for changes; when last answered.
  uint64_t version_ = 1;
  rt::Event changed_;
  LogRoutes logs_;
  net::HttpServer server_;  ///< Last: its answers use the rest.
};

}  // namespace muster::page
