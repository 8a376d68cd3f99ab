#include "app/yarn_client.h"

#include "app/program.h"
#include "cluster/yarn/application_file.h"

#include <map>
#include <utility>

namespace muster::app {
namespace {

constexpr uint64_t kApplicationBytesMax = 64U << 10;

std::map<std::string, std::string> variables_of(const Session& session,
                                                const std::string& proxy_user) {
  std::map<std::string, std::string> variables(session.environment.all().begin(),
                                               session.environment.all().end());
  if (!proxy_user.empty()) {
    variables[std::string(cluster::yarn::kProxyVariable)] = proxy_user;
  }
  return variables;
}

}  // namespace

YarnClient::YarnClient(Session& session, const std::string& name, std::filesystem::path conf,
                       const std::string& proxy_user)
    : cluster_(*session.files, quiet_,
               {.name = name,
                .conf = std::move(conf),
                .program = own_program(),
                .environment = variables_of(session, proxy_user),
                .on_wait = [&session](std::string_view why) {
                  if (!why.empty()) {
                    session.console.err("muster: waiting: " + std::string(why) + "\n");
                  }
                }}) {}

bool is_on_yarn(Session& session, const cluster::JobFolder& folder) {
  return session.files->exists(folder.application());
}

std::unique_ptr<YarnClient> yarn_client_of(Session& session, const cluster::JobFolder&) {
  // Which configuration the job was submitted with stands in its folder.
  return std::make_unique<YarnClient>(session, "yarn", std::filesystem::path());
}

namespace {

std::optional<cluster::yarn::ApplicationFile> application_of(Session& session,
                                                             const cluster::JobFolder& folder) {
  const Result<std::string> text = session.files->read(folder.application(), kApplicationBytesMax);
  const auto file = text ? cluster::yarn::parse_application_file(*text)
                         : Result<cluster::yarn::ApplicationFile>(text.error());
  return file ? std::optional(*file) : std::nullopt;
}

}  // namespace

std::string application_id_of(Session& session, const cluster::JobFolder& folder) {
  const auto file = application_of(session, folder);
  return file ? file->application_id : std::string();
}

std::string hadoop_conf_of(Session& session, const cluster::JobFolder& folder) {
  const auto file = application_of(session, folder);
  return file ? file->conf : std::string();
}

}  // namespace muster::app
