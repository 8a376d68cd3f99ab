#include "app/commands.h"
#include "cli/completion.h"
#include "eventlog/plan_file.h"
#include "spec/read/layers.h"
#include "spec/write/serialize.h"

#include <string>
#include <vector>

namespace muster::app {
namespace {

/// The scripts of completion.cc then offer files.
constexpr int kOfferFiles = 3;

/// Offers words from this user's home, configuration and files.
class LiveOffers : public cli::Offers {
 public:
  explicit LiveOffers(Session& session) : session_(session) {}

  std::vector<std::string> jobs(cli::Kind kind) override {
    std::vector<std::string> ids;
    for (const cluster::JobEntry& entry :
         session_.home.jobs().value_or(std::vector<cluster::JobEntry>())) {
      if (kind == cli::Kind::Job || entry.ended == (kind == cli::Kind::EndedJob)) {
        ids.push_back(entry.folder.id().value);
      }
    }
    return ids;
  }

  std::vector<std::string> tasks_of(const std::string& job) override {
    const Result<cluster::JobEntry> entry = session_.home.find(job);
    const Result<std::string> plan =
        entry ? session_.files->read(entry->folder.plan()) : entry.error();
    const Result<eventlog::PlanFile> read = plan ? eventlog::parse_plan_file(*plan) : plan.error();
    const Result<spec::Spec> spec = read ? spec::parse_json(read->spec_json) : read.error();
    std::vector<std::string> tasks;
    for (const spec::Role& role : spec ? spec->roles : std::vector<spec::Role>()) {
      tasks.push_back(role.name);
      for (uint32_t index = 0; index < role.tasks; ++index) {
        tasks.push_back(role.name + ":" + std::to_string(index));
      }
    }
    return tasks;
  }

  std::vector<std::string> roles_in(const std::string& file) override {
    client::JobSource source;
    source.spec = file;
    const Result<spec::Layers> layers =
        client::read_layers(*session_.files, source, session_.surroundings());
    const Result<spec::Loaded> loaded = layers ? spec::load(*layers) : layers.error();
    std::vector<std::string> roles;
    for (const spec::Role& role : loaded ? loaded->spec.roles : std::vector<spec::Role>()) {
      roles.push_back(role.name);
    }
    return roles;
  }

  std::vector<std::string> clusters() override { return session_.clusters->names(); }

 private:
  Session& session_;
};

}  // namespace

int print_completion(Session& session, const client::CompletionOptions& command) {
  session.console.out(cli::completion_script(command.shell));
  return 0;
}

int complete_words(Session& session, const client::CompletionWords& command) {
  LiveOffers offers(session);
  const cli::Completion found = cli::complete(command_table(), command.typed, offers);
  for (const std::string& word : found.words) {
    session.console.out(word + "\n");
  }
  return found.files ? kOfferFiles : 0;
}

}  // namespace muster::app
