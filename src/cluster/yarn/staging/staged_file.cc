#include "cluster/yarn/staging/staged_file.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::cluster::yarn {
namespace {

namespace json = boost::json;

constexpr std::string_view kPackageSchema = "muster.package/1";

Error corrupt_package(std::string_view what) {
  return Error{Errc::Corrupt, Blame::Muster, "the job's package is damaged: " + std::string(what)};
}

json::object to_json(const StagedFile& staged) {
  const hadoop::yarn::Location& from = staged.file.from;
  return {{"link", staged.link},
          {"scheme", from.scheme},
          {"host", from.host},
          {"port", from.port},
          {"path", from.path},
          {"unpack", staged.file.type == hadoop::yarn::LocalResourceType::Archive ? 1 : 0},
          {"size", staged.file.size},
          {"modified_ms", staged.file.modified_ms}};
}

json::object to_json(const HostRoom& room) {
  json::object others;
  for (const auto& [name, amount] : room.free.others) {
    others[name] = amount.value;
  }
  return {{"host", room.node.host},     {"port", room.node.port},
          {"rack", room.rack},          {"memory_mb", room.free.memory_mb},
          {"vcores", room.free.vcores}, {"others", std::move(others)}};
}

/// Fields of an object, all of which must be present.
class Fields {
 public:
  explicit Fields(const json::object& from) : from_(from) {}

  std::string text(std::string_view key) {
    const json::value* const value = from_.if_contains(key);
    if (value == nullptr || !value->is_string()) {
      missing_ = key;
      return {};
    }
    return std::string(value->get_string());
  }
  int64_t number(std::string_view key) {
    const json::value* const value = from_.if_contains(key);
    if (value == nullptr || !value->is_int64()) {
      missing_ = key;
      return 0;
    }
    return value->get_int64();
  }
  [[nodiscard]] Status complete() const {
    return missing_.empty() ? Status() : Status(corrupt_package(missing_));
  }

 private:
  const json::object& from_;
  std::string_view missing_;
};

Result<StagedFile> staged_of(const json::value& value) {
  if (!value.is_object()) {
    return corrupt_package("files");
  }
  Fields fields(value.get_object());
  StagedFile staged;
  staged.link = fields.text("link");
  staged.file.from.scheme = fields.text("scheme");
  staged.file.from.host = fields.text("host");
  staged.file.from.port = static_cast<int32_t>(fields.number("port"));
  staged.file.from.path = fields.text("path");
  staged.file.type = fields.number("unpack") == 1 ? hadoop::yarn::LocalResourceType::Archive
                                                  : hadoop::yarn::LocalResourceType::File;
  staged.file.size = fields.number("size");
  staged.file.modified_ms = fields.number("modified_ms");
  MUSTER_TRY_STATUS(fields.complete());
  return staged;
}

Result<HostRoom> room_of(const json::value& value) {
  if (!value.is_object()) {
    return corrupt_package("hosts");
  }
  Fields fields(value.get_object());
  HostRoom room;
  room.node.host = fields.text("host");
  room.node.port = static_cast<int32_t>(fields.number("port"));
  room.rack = fields.text("rack");
  room.free.memory_mb = fields.number("memory_mb");
  room.free.vcores = static_cast<int32_t>(fields.number("vcores"));
  MUSTER_TRY_STATUS(fields.complete());
  const json::value* const others = value.get_object().if_contains("others");
  if (others == nullptr || !others->is_object()) {
    return corrupt_package("others");
  }
  for (const auto& [name, amount] : others->get_object()) {
    if (!amount.is_int64()) {
      return corrupt_package("others");
    }
    room.free.others[std::string(name)] = {.value = amount.get_int64(), .unit = {}};
  }
  return room;
}

}  // namespace

std::string encode(const JobPackage& package) {
  json::array files;
  for (const StagedFile& staged : package.files) {
    files.emplace_back(to_json(staged));
  }
  json::array hosts;
  for (const HostRoom& room : package.hosts) {
    hosts.emplace_back(to_json(room));
  }
  return json::serialize(json::object{{"schema", kPackageSchema},
                                      {"job", package.job_id},
                                      {"application_id", package.application_id},
                                      {"user", package.user},
                                      {"folder", package.folder},
                                      {"plan", package.plan_file},
                                      {"configuration", package.configuration_xml},
                                      {"files", std::move(files)},
                                      {"hosts", std::move(hosts)}});
}

Result<JobPackage> decode_package(std::string_view text) {
  boost::system::error_code error;
  const json::value value = json::parse(json::string_view(text.data(), text.size()), error);
  if (error || !value.is_object()) {
    return corrupt_package("it is not JSON");
  }
  Fields fields(value.get_object());
  JobPackage package;
  const std::string schema = fields.text("schema");
  package.job_id = fields.text("job");
  package.user = fields.text("user");
  package.folder = fields.text("folder");
  package.plan_file = fields.text("plan");
  package.configuration_xml = fields.text("configuration");
  MUSTER_TRY_STATUS(fields.complete());
  if (value.get_object().contains("application_id")) {
    package.application_id = fields.text("application_id");
  }
  const json::value* const files = value.get_object().if_contains("files");
  if (schema != kPackageSchema || files == nullptr || !files->is_array()) {
    return corrupt_package("schema or files");
  }
  for (const json::value& one : files->get_array()) {
    MUSTER_TRY(package.files.emplace_back(), staged_of(one));
  }
  if (const json::value* const hosts = value.get_object().if_contains("hosts"); hosts != nullptr) {
    if (!hosts->is_array()) {
      return corrupt_package("hosts");
    }
    for (const json::value& one : hosts->get_array()) {
      MUSTER_TRY(package.hosts.emplace_back(), room_of(one));
    }
  }
  return package;
}

}  // namespace muster::cluster::yarn
