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

/// Fields of an object, all of which must be there.
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

}  // namespace

std::string encode(const JobPackage& package) {
  json::array files;
  for (const StagedFile& staged : package.files) {
    files.emplace_back(to_json(staged));
  }
  return json::serialize(json::object{{"schema", kPackageSchema},
                                      {"job", package.job_id},
                                      {"application_id", package.application_id},
                                      {"user", package.user},
                                      {"folder", package.folder},
                                      {"plan", package.plan_file},
                                      {"configuration", package.configuration_xml},
                                      {"files", std::move(files)}});
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
  return package;
}

}  // namespace muster::cluster::yarn
