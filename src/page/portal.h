#pragma once

#include "net/http_server.h"
#include "page/access.h"
#include "page/page.h"
#include "page/target.h"
#include "rt/async.h"

#include <memory>
#include <string>
#include <vector>

namespace muster::page {

/// The jobs of a portal. While list() works, other requests wait; while open() does, they do not.
class JobShelf {
 public:
  virtual ~JobShelf() = default;
  /// Returns the jobs that `who` may see, as a document for the list, narrowed as `what` asks. May
  /// be slow.
  [[nodiscard]] virtual Result<std::string> list(const Admission& who, const Target& what) = 0;
  /// Returns how many jobs of which kind `who` may see, in Prometheus' text format.
  [[nodiscard]] virtual Result<std::string> prometheus(const Admission& who) = 0;
  /// Returns the page of one job. NotFound, also for a job that `who` may not see; otherwise the
  /// reason why it cannot be read.
  [[nodiscard]] virtual rt::Async<Result<std::shared_ptr<Page>>> open(Admission who,
                                                                      std::string id) = 0;
};

/// Pages of jobs behind one list. Read only.
///
///     /  /app.js ...       the list's document and what belongs to it: nothing of any job
///     /api/session         POST the link's token: a session (Access); nothing: one for whoever is
///                          known otherwise
///     /api/jobs            the list; how it is narrowed is the shelf's
///     /metrics             how many jobs there are, for Prometheus
///     /jobs/ID/...         the page of one job: see Page
///
/// Lives on the loop's thread.
class Portal {
 public:
  struct Deps {
    rt::Loop& loop;
    JobShelf& shelf;
    Access& access;
    std::vector<std::string> host_names = {};  ///< Names that may address this machine.
    std::string document = "portal.html";      ///< Of the list.
    /// People sign in at the list: anyone unknown who opens a job is sent there first.
    bool signs_in = false;
  };

  explicit Portal(Deps deps);
  Portal(const Portal&) = delete;
  Portal& operator=(const Portal&) = delete;

  /// The server that takes connections speaking HTTP.
  [[nodiscard]] net::HttpServer& server() { return server_; }

 private:
  [[nodiscard]] rt::Async<net::HttpResponse> answer(net::HttpRequest request, std::string peer);
  [[nodiscard]] rt::Async<net::HttpResponse> answer_admitted(net::HttpRequest request,
                                                             Admission admission);
  [[nodiscard]] net::HttpResponse open_session(const net::HttpRequest& request,
                                               const Admission& admission);
  [[nodiscard]] rt::Async<net::HttpResponse> show_job(net::HttpRequest request, Target target,
                                                      Admission admission);

  Deps deps_;
  net::HttpServer server_;  ///< Last: its answers use the rest.
};

}  // namespace muster::page
