#include "cluster/yarn/client/client_session.h"

#include "base/text.h"
#include "cluster/yarn/site.h"
#include "hadoop/hdfs/names/path.h"

#include <fmt/format.h>

#include <chrono>

namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;

constexpr Duration kCallMax = std::chrono::minutes(1);
constexpr uint64_t kApplicationBytesMax = 64U << 10;

}  // namespace

HostTime ClientSession::soon() const { return loop_.now() + kCallMax; }

Result<Session*> ClientSession::open() {
  if (session_ == nullptr) {
    MUSTER_TRY(Site site, load_site(files_, {.conf = options_.conf,
                                             .environment = options_.environment,
                                             .now = loop_.wall_now()}));
    MUSTER_TRY(
        session_,
        Session::open(loop_, quiet_, std::move(site),
                      {.caller = "muster_client", .patient = false, .on_wait = options_.on_wait}));
  }
  return session_.get();
}

Result<Session*> ClientSession::open_for(const ApplicationFile& application) {
  if (session_ == nullptr) {
    options_.conf = application.conf;
    if (!application.proxy_user.empty()) {
      options_.environment[std::string(kProxyVariable)] = application.proxy_user;
    }
  }
  Result<Session*> opened = open();
  if (!opened.has_value() && opened.error().code == Errc::NotFound) {
    // A configuration missing here says nothing about the job.
    Error error = std::move(opened).error();
    error.code = Errc::InvalidArgument;
    return error;
  }
  return opened;
}

Result<ApplicationFile> ClientSession::application_of(const JobFolder& job) {
  const Result<std::string> text = files_.read(job.application(), kApplicationBytesMax);
  if (!text && text.error().code == Errc::NotFound) {
    return user_error("no such job on the cluster: " + printable(job.id().value), Errc::NotFound);
  }
  if (!text) {
    return text.error();
  }
  return parse_application_file(*text);
}

Result<rm::ApplicationReport> ClientSession::report_of(const ApplicationFile& application) {
  MUSTER_TRY(Session* const session, open_for(application));
  MUSTER_TRY(const rm::ApplicationId id, rm::parse_application_id(application.application_id));
  return run(session->applications().report(id, soon()));
}

Result<std::string> staging_root(ClientSession& session, const spec::Spec& spec) {
  MUSTER_TRY(Session* const opened, session.open());
  const std::string& home = opened->files().home();
  if (spec.yarn.staging.empty()) {
    return home + "/.muster";
  }
  MUSTER_TRY(const hadoop::hdfs::Location place,
             hadoop::hdfs::parse_location(spec.yarn.staging, home));
  if (!place.authority.empty()) {
    return user_error(fmt::format(
        "yarn.staging: {} names a file system; name a folder of the cluster's own, like {}",
        printable(spec.yarn.staging), place.path));
  }
  return place.path;
}

}  // namespace muster::cluster::yarn
