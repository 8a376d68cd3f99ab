#include "cluster/yarn/client/hadoop_doctor.h"

#include "base/text.h"
#include "cluster/yarn/client/hadoop_masters.h"
#include "hadoop/conf_load.h"
#include "hadoop/hdfs_settings.h"
#include "hadoop/login.h"
#include "hadoop/resource_manager.h"
#include "hadoop/rpc_settings.h"
#include "hadoop/security_settings.h"
#include "hadoop/token_file.h"
#include "hadoop/token_identifier.h"
#include "os/host/identity.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

namespace muster::cluster::yarn {
namespace {

using Verdict = Finding::Verdict;

constexpr std::string_view kWhereToSet =
    "set HADOOP_CONF_DIR to the folder with core-site.xml and yarn-site.xml of your cluster";

bool named(const HadoopDoctorInput& input) {
  for (const char* name : {"HADOOP_CONF_DIR", "YARN_CONF_DIR", "HADOOP_HOME"}) {
    if (const auto found = input.environment.find(name);
        found != input.environment.end() && !found->second.empty()) {
      return true;
    }
  }
  return false;
}

/// Returns what a delegation token says, with which somebody acts as its owner; nullopt for other
/// tokens.
std::optional<hadoop::DelegationIdentifier> delegation_of(const hadoop::Token& token) {
  if (token.kind != hadoop::token_kind::kHdfs &&
      token.kind != hadoop::token_kind::kResourceManager) {
    return std::nullopt;
  }
  const auto identifier = hadoop::decode_delegation_identifier(token);
  return identifier ? std::optional(*identifier) : std::nullopt;
}

/// Examines one cluster, top to bottom, and stops when the rest cannot be examined.
class Examination {
 public:
  Examination(os::Files& files, const HadoopDoctorInput& input) : files_(files), input_(input) {}

  std::vector<Finding> run() {
    if (load() && settings() && tokens() && login()) {
      masters();
    }
    return std::move(findings_);
  }

 private:
  bool load();
  bool settings();
  bool login();
  bool tokens();
  [[nodiscard]] std::optional<std::string> token_owner() const;
  void masters();

  void add(Verdict verdict, std::string subject, std::string text, std::string advice = {}) {
    findings_.push_back({verdict, std::move(subject), std::move(text), std::move(advice)});
  }
  bool add_bad(std::string subject, const Error& error, std::string advice = {}) {
    add(Verdict::Bad, std::move(subject), error.message, std::move(advice));
    return false;
  }
  /// Adds a finding if `read` is an error; returns whether it is fine.
  template <class T>
  bool fine(const Result<T>& read) {
    return read.has_value() ||
           add_bad("hadoop", read.error(), "correct the value in the named file");
  }

  os::Files& files_;
  const HadoopDoctorInput& input_;
  std::vector<Finding> findings_;
  std::string system_user_;
  std::optional<hadoop::Configuration> configuration_;
  std::optional<hadoop::SecuritySettings> security_;
  hadoop::Login login_;
  hadoop::Credentials credentials_;
};

bool Examination::load() {
  system_user_ = os::user_name(input_.environment);
  hadoop::ConfSource source{
      .folder = {}, .environment = input_.environment, .properties = {{"user.name", system_user_}}};
  if (const auto home = input_.environment.find("HOME"); home != input_.environment.end()) {
    source.properties["user.home"] = home->second;
  }
  const hadoop::ReadFile read = [this](const std::filesystem::path& path) {
    return files_.read(path);
  };
  Result<hadoop::Configuration> loaded = hadoop::load_configuration(source, read);
  if (!loaded && loaded.error().code == Errc::NotFound && !named(input_)) {
    add(Verdict::Note, "hadoop", "no Hadoop cluster is configured", std::string(kWhereToSet));
    return false;
  }
  if (!loaded) {
    return add_bad("hadoop", loaded.error(),
                   loaded.error().code == Errc::NotFound ? std::string(kWhereToSet) : "");
  }
  configuration_ = *std::move(loaded);
  add(Verdict::Good, "hadoop", "configured by " + join(configuration_->files(), ", "));
  for (const std::string& slip : configuration_->notes()) {
    add(Verdict::Note, "hadoop", slip);
  }
  return true;
}

bool Examination::settings() {
  const hadoop::Configuration& conf = *configuration_;
  Result<hadoop::SecuritySettings> security = hadoop::security_settings(conf);
  bool all = fine(security);
  all = fine(hadoop::rpc_settings(conf)) && all;
  all = fine(hadoop::hdfs_settings(conf)) && all;
  all = fine(hadoop::resource_managers(conf)) && all;
  all = fine(hadoop::node_manager_settings(conf)) && all;
  all = fine(hadoop::resource_types(conf)) && all;
  if (security) {
    security_ = *std::move(security);
  }
  return all;
}

bool Examination::login() {
  const hadoop::LoginDeps deps{
      .files = files_, .uid = input_.uid, .now = input_.now, .system_user = system_user_};
  Result<hadoop::Login> who = hadoop::who_am_i(*configuration_, *security_, deps);
  if (const std::optional<std::string> owner = token_owner();
      !who && who.error().code == Errc::Unauthenticated && owner) {
    login_.user = *owner;
    add(Verdict::Good, "login", printable(*owner) + " by tokens, without a ticket");
    return true;
  }
  if (!who) {
    return add_bad("login", who.error());
  }
  login_ = *std::move(who);
  std::string text =
      fmt::format("{} by {}", printable(login_.user), to_string(security_->authentication));
  if (!login_.real_user.empty()) {
    text += fmt::format(", on whose behalf {} acts", printable(login_.real_user));
  }
  if (login_.ticket_ends) {
    text += fmt::format(", ticket of {} ends in {}", printable(login_.principal),
                        format_duration(*login_.ticket_ends - input_.now));
  }
  add(Verdict::Good, "login", std::move(text));
  if (security_->authentication == hadoop::Authentication::Kerberos &&
      !files_.exists(input_.kerberos_helper)) {
    add(Verdict::Bad, "kerberos",
        fmt::format("{}, which speaks Kerberos, is missing", input_.kerberos_helper.string()),
        "put muster-krb5 of the same version beside muster");
  }
  return true;
}

std::optional<std::string> Examination::token_owner() const {
  for (const hadoop::NamedToken& held : credentials_.tokens()) {
    if (const auto identifier = delegation_of(held.token)) {
      return identifier->owner.substr(0, identifier->owner.find_first_of("/@"));
    }
  }
  return std::nullopt;
}

bool Examination::tokens() {
  Result<hadoop::Credentials> credentials = hadoop::load_credentials(files_, *configuration_);
  if (!credentials) {
    return add_bad("tokens", credentials.error());
  }
  credentials_ = *std::move(credentials);
  for (const hadoop::NamedToken& held : credentials_.tokens()) {
    const auto identifier = delegation_of(held.token);
    const bool ended = identifier.has_value() && identifier->ends < input_.now;
    add(ended ? Verdict::Bad : Verdict::Good, "tokens", hadoop::describe(held.token, input_.now),
        ended ? "get a new token" : "");
  }
  return true;
}

void Examination::masters() {
  const HadoopLogin login{.identity = {.user = login_.user, .real_user = login_.real_user},
                          .credentials = credentials_};
  const HadoopMasters masters(input_.kerberos_helper, input_.environment, input_.patience);
  // What jobs need but access to files does not is no fault of the machine: a note.
  const auto tell = [this](const char* subject, const Result<std::string>& answered,
                           Verdict otherwise) {
    if (answered) {
      add(Verdict::Good, subject, *answered);
    } else {
      add(otherwise, subject, answered.error().message);
    }
    return answered.has_value();
  };
  if (tell("hdfs", masters.ask_file_system(*configuration_, login), Verdict::Bad)) {
    tell("hdfs write", masters.try_to_write(*configuration_, login), Verdict::Note);
  }
  if (tell("yarn", masters.ask_resource_manager(*configuration_, login), Verdict::Bad)) {
    tell("queues", masters.ask_queues(*configuration_, login), Verdict::Note);
  }
}

}  // namespace

std::vector<Finding> examine_hadoop(os::Files& files, const HadoopDoctorInput& input) {
  return Examination(files, input).run();
}

}  // namespace muster::cluster::yarn
