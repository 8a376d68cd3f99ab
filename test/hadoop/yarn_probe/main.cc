// Speaks YARN as told: one JSON object per line in, one out. Driven by test_yarn.py.
//
//     yarn_probe CONF_DIR USER
//
// USER is who asks; with Kerberos, the owner of the tickets in $KRB5CCNAME.
//
// Each request has "do" and its own fields; each answer has either what was asked for or "error",
// "code" and "blame".
#include "hadoop/conf_load.h"
#include "hadoop/yarn/targets.h"
#include "probe.h"

#include <fstream>
#include <iostream>
#include <sstream>

namespace muster::probe {

Result<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return Error{Errc::NotFound, Blame::User, "no file " + path.string()};
  }
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Probe::Probe(hadoop::Configuration configuration, std::string user)
    : Speaker("yarn_probe"), configuration_(std::move(configuration)), user_(std::move(user)) {
  call_manager(nullptr);
  auto dial = yarn::node_dial_settings(configuration_);
  connections_.emplace(loop_, yarn::node_dialer(client_, *dial));
  starter_.emplace(loop_, *connections_);
}

void Probe::call_manager(const std::shared_ptr<const hadoop::Credentials>& credentials) {
  auto calling =
      yarn::client_calling(configuration_, {.user = user_, .real_user = {}}, credentials);
  if (!calling.has_value()) {
    std::cerr << calling.error().message << '\n';
    std::exit(2);
  }
  applications_.reset();
  manager_ = std::make_unique<ManagerProxy>(
      client_.proxy(calling->target, calling->connection, calling->retry));
  applications_.emplace(loop_, *manager_);
}

json::object Probe::answer(const json::object& request) {
  const auto what = text_of(request, "do", "");
  if (what == "submit") {
    return submit(request);
  }
  if (what == "become") {
    return become(request);
  }
  if (what == "ask") {
    return want(request);
  }
  if (what == "beat") {
    return beat(request);
  }
  if (what == "start") {
    return start(request);
  }
  if (what == "finish") {
    return said(run(master_->finish(
        {.status = yarn::FinalStatus::Succeeded, .diagnostics = text_of(request, "why", "")},
        by(request))));
  }
  if (what == "status") {
    return status(request);
  }
  if (what == "release") {
    master_->book().release(grants_.at(text_of(request, "container", "")).id);
    return {};
  }
  return about_cluster(what, request);
}

namespace {

int run(const std::string& conf, const std::string& user) {
  auto configuration = hadoop::load_configuration({.folder = conf}, read_file);
  if (!configuration.has_value()) {
    std::cerr << configuration.error().message << '\n';
    return 2;
  }
  Probe(*std::move(configuration), user).serve();
  return 0;
}

}  // namespace
}  // namespace muster::probe

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: yarn_probe CONF_DIR USER\n";
    return 2;
  }
  return muster::probe::run(argv[1], argv[2]);
}
