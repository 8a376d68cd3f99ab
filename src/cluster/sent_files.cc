#include "cluster/sent_files.h"

#include "cluster/json_member.h"

#include <boost/json.hpp>

#include <optional>
#include <utility>

namespace muster::cluster {
namespace {

namespace json = boost::json;

constexpr std::string_view kSentSchema = "muster.sent/1";

std::optional<SentFile> sent_file(const json::value& value) {
  if (!value.is_object()) {
    return std::nullopt;
  }
  const json::object& object = value.get_object();
  const int64_t bytes = number_in(object, "bytes").value_or(-1);
  SentFile file{.name = text_in(object, "name"),
                .content = text_in(object, "content"),
                .bytes = static_cast<uint64_t>(bytes)};
  if (file.name.empty() || file.content.empty() || bytes < 0) {
    return std::nullopt;
  }
  return file;
}

std::optional<SentFiles> sent_in(const json::value& value) {
  if (!value.is_object() || text_in(value.get_object(), "schema") != kSentSchema) {
    return std::nullopt;
  }
  const json::object& object = value.get_object();
  std::string name = text_in(object, "name");
  const auto submitted = number_in(object, "submitted_us");
  const json::value* const files = object.if_contains("files");
  if (name.empty() || !submitted || files == nullptr || !files->is_array()) {
    return std::nullopt;
  }
  SentFiles sent{
      .job_name = std::move(name), .submitted = WallTime(Duration(*submitted)), .files = {}};
  for (const json::value& each : files->get_array()) {
    std::optional<SentFile> file = sent_file(each);
    if (!file) {
      return std::nullopt;
    }
    sent.files.push_back(*std::move(file));
  }
  return sent;
}

}  // namespace

std::string to_text(const SentFiles& sent) {
  json::array files;
  for (const SentFile& file : sent.files) {
    files.push_back(
        json::object{{"name", file.name}, {"content", file.content}, {"bytes", file.bytes}});
  }
  return json::serialize(json::object{{"schema", kSentSchema},
                                      {"name", sent.job_name},
                                      {"submitted_us", sent.submitted.time_since_epoch().count()},
                                      {"files", std::move(files)}}) +
         "\n";
}

Result<SentFiles> parse_sent_files(std::string_view text) {
  boost::system::error_code error;
  const json::value value = json::parse(json::string_view(text.data(), text.size()), error);
  std::optional<SentFiles> sent = error ? std::nullopt : sent_in(value);
  if (!sent) {
    return Error{Errc::Corrupt, Blame::Muster, "the job's sent.json is damaged"};
  }
  return *std::move(sent);
}

}  // namespace muster::cluster
