#include "cluster/local/container_record.h"

#include "base/text.h"
#include "cluster/local/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

namespace muster::cluster::local {
namespace {

constexpr std::string_view kEnding = ".container";

std::filesystem::path path_of(const std::filesystem::path& folder,
                              const job::ContainerId& container) {
  return folder / (container.value + std::string(kEnding));
}

template <class Number>
bool parse(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

template <class Predicate>
bool any_record(os::Files& files, const std::filesystem::path& folder, Predicate holds) {
  const auto entries = files.list(folder);
  return entries && std::ranges::any_of(*entries, [&](const os::FolderEntry& entry) {
           if (!entry.name.ends_with(kEnding)) {
             return false;
           }
           const std::string id = entry.name.substr(0, entry.name.size() - kEnding.size());
           const Result<ContainerRecord> record = read_record(files, folder, job::ContainerId(id));
           return record.has_value() && holds(*record);
         });
}

}  // namespace

Status write_record(os::Files& files, const std::filesystem::path& folder,
                    const ContainerRecord& record) {
  MUSTER_TRY_STATUS(files.make_folders(folder, 0700));
  return files.write(path_of(folder, record.container),
                     fmt::format("{}\n{}\n{}\n{}\n", record.host.value, record.stub_pid,
                                 record.start_ticks, record.claim_file));
}

Result<ContainerRecord> read_record(os::Files& files, const std::filesystem::path& folder,
                                    const job::ContainerId& container) {
  MUSTER_TRY(const std::string text, files.read(path_of(folder, container), 16U << 10));
  const std::vector<std::string_view> lines = split(text, '\n');
  ContainerRecord record;
  record.container = container;
  if (lines.size() != 5 || !parse(lines[1], record.stub_pid) ||
      !parse(lines[2], record.start_ticks)) {
    return Error{Errc::Corrupt, Blame::Cluster,
                 "the record of container " + container.value + " is damaged"};
  }
  record.host.value = lines[0];
  record.claim_file = lines[3];
  return record;
}

uint32_t highest_container(os::Files& files, const std::filesystem::path& folder) {
  uint32_t highest = 0;
  const auto entries = files.list(folder);
  if (!entries.has_value()) {
    return 0;
  }
  for (const os::FolderEntry& entry : *entries) {
    std::string_view name = entry.name;
    uint32_t number = 0;
    if (name.starts_with('c') && name.ends_with(kEnding) &&
        parse(name.substr(1, name.size() - 1 - kEnding.size()), number)) {
      highest = std::max(highest, number);
    }
  }
  return highest;
}

bool any_container_lives(os::Files& files, const std::filesystem::path& folder) {
  return any_record(files, folder, [](const ContainerRecord& record) {
    return ClaimFolder::is_held(record.claim_file);
  });
}

bool any_stub_lives(os::Files& files, const std::filesystem::path& folder) {
  return any_record(files, folder, [](const ContainerRecord& record) {
    return record.stub_pid > 0 && record.start_ticks > 0 &&
           start_ticks_of(record.stub_pid) == record.start_ticks;
  });
}

uint64_t start_ticks_of(int32_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string stat{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) {
    return 0;
  }
  // After the name: state is field 3, the start time field 22.
  std::istringstream fields(stat.substr(name_end + 1));
  std::string field;
  for (int number = 3; number <= 22 && fields >> field; ++number) {
    if (number == 3 && (field == "Z" || field == "X")) {
      return 0;
    }
  }
  uint64_t ticks = 0;
  return fields && parse(field, ticks) ? ticks : 0;
}

}  // namespace muster::cluster::local
