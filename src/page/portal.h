#pragma once

#include "net/http_server.h"
#include "page/access.h"
#include "page/page.h"

#include <memory>
#include <string>
#include <vector>

namespace muster::page {

/// The jobs of a portal.
class JobShelf {
 public:
  virtual ~JobShelf() = default;
  /// All of them: a document for the list. May take its time.
  [[nodiscard]] virtual Result<std::string> list() = 0;
  /// The page of one that has ended. NotFound; or the reason why it cannot be read.
  [[nodiscard]] virtual Result<std::shared_ptr<Page>> open(const std::string& id) = 0;
};

/// Pages of jobs that have ended, behind one list. Read only. For one person: while the shelf reads
/// from far away, other requests wait.
///
///     /  /app.js ...       the list's document and what belongs to it: nothing of any job
///     /api/session         POST the link's token: a session (Access)
///     /api/jobs            the list
///     /jobs/ID/...         the page of one job: see Page
///
/// Lives on the loop's thread.
class Portal {
 public:
  struct Deps {
    rt::Loop& loop;
    JobShelf& shelf;
    Access& access;
    std::vector<std::string> host_names = {};  ///< By which requests may address this machine.
  };

  explicit Portal(Deps deps);
  Portal(const Portal&) = delete;
  Portal& operator=(const Portal&) = delete;

  /// Takes a connection that speaks HTTP.
  void serve(std::unique_ptr<net::Stream> stream) { server_.serve(std::move(stream)); }

 private:
  [[nodiscard]] rt::Async<net::HttpResponse> answer(net::HttpRequest request, std::string peer);
  [[nodiscard]] rt::Async<net::HttpResponse> show_job(net::HttpRequest request, Target target,
                                                      std::string raw);

  Deps deps_;
  net::HttpServer server_;  ///< Last: its answers use the rest.
};

}  // namespace muster::page
