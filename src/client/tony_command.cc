#include "base/text.h"
#include "client/commands.h"
#include "client/failure.h"
#include "tony/conversion.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace muster::client {
namespace {

constexpr std::string_view kConvert = "--convert";
constexpr uint64_t kConfMax = 16U << 20;
constexpr const char* kConfFile = "tony.xml";
constexpr const char* kSiteFile = "tony-site.xml";

Status add_file(Session& session, const std::string& path, std::vector<tony::Property>& to) {
  Result<std::string> text = session.files->read(path, kConfMax);
  if (!text) {
    return user_error(text.error().message, text.error().code);
  }
  MUSTER_TRY(const std::vector<tony::Property> properties, tony::parse_properties(*text, path));
  to.insert(to.end(), properties.begin(), properties.end());
  return {};
}

/// What lies in a folder of sources, for TonY's tasks begin in it.
std::vector<std::string> entries_of(Session& session, const std::string& folder) {
  std::vector<std::string> names;
  const Result<std::vector<os::FolderEntry>> entries =
      folder.empty() ? std::vector<os::FolderEntry>() : session.files->list(folder);
  for (const os::FolderEntry& entry : entries.value_or(std::vector<os::FolderEntry>())) {
    if (!entry.name.starts_with(".")) {
      names.push_back(entry.name + (entry.kind == os::FileKind::Folder ? "/" : ""));
    }
  }
  return names;
}

Result<tony::Converted> convert(Session& session, std::vector<std::string> arguments) {
  tony::Input input;
  std::string file;
  if (!arguments.empty() && !arguments.front().starts_with("-")) {
    file = arguments.front();
    arguments.erase(arguments.begin());
  }
  MUSTER_TRY(input.flags, tony::parse_flags(arguments));
  if (file.empty()) {
    file = input.flags.conf_file;
  }
  if (file.empty() && session.files->exists(kConfFile)) {
    file = kConfFile;
  }
  if (!file.empty()) {
    MUSTER_TRY_STATUS(add_file(session, file, input.properties));
  }
  // In TonY the site's file wins over the job's.
  if (const auto folder = session.environment.find("TONY_CONF_DIR")) {
    const std::string site = *folder + "/" + kSiteFile;
    if (session.files->exists(site)) {
      MUSTER_TRY_STATUS(add_file(session, site, input.properties));
    }
  }
  input.source_entries = entries_of(session, input.flags.src_dir);
  return tony::convert(input);
}

}  // namespace

int run_tony(Session& session, const TonyOptions& command) {
  std::vector<std::string> arguments = command.arguments;
  if (arguments.empty() || arguments.front() != kConvert) {
    return fail(session.console,
                user_error("write `muster tony --convert [tony.xml] [TonY's flags]`: it prints a "
                           "specification for `muster run`"));
  }
  arguments.erase(arguments.begin());
  const Result<tony::Converted> converted = convert(session, std::move(arguments));
  if (!converted) {
    return fail(session.console, converted.error());
  }
  session.console.out(tony::render(*converted));
  if (!converted->notes.empty()) {
    session.console.err(fmt::format(
        "muster: {} of TonY's settings were not converted; the comments at the top list them\n",
        converted->notes.size()));
  }
  return 0;
}

}  // namespace muster::client
