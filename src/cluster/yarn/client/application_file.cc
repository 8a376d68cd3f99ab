#include "cluster/yarn/client/application_file.h"

#include "cluster/json_member.h"

#include <boost/json.hpp>

namespace muster::cluster::yarn {
namespace {

namespace json = boost::json;

constexpr std::string_view kApplicationSchema = "muster.application/1";

}  // namespace

std::string to_text(const ApplicationFile& file) {
  return json::serialize(json::object{{"schema", kApplicationSchema},
                                      {"application_id", file.application_id},
                                      {"conf", file.conf},
                                      {"folder", file.folder},
                                      {"proxy_user", file.proxy_user}}) +
         "\n";
}

Result<ApplicationFile> parse_application_file(std::string_view text) {
  boost::system::error_code error;
  const json::value value = json::parse(json::string_view(text.data(), text.size()), error);
  if (!error && value.is_object() && text_in(value.get_object(), "schema") == kApplicationSchema) {
    const json::object& object = value.get_object();
    ApplicationFile file{.application_id = text_in(object, "application_id"),
                         .conf = text_in(object, "conf"),
                         .folder = text_in(object, "folder"),
                         .proxy_user = text_in(object, "proxy_user")};
    if (!file.application_id.empty() && !file.folder.empty()) {
      return file;
    }
  }
  return Error{Errc::Corrupt, Blame::Muster, "the job's application.json is damaged"};
}

}  // namespace muster::cluster::yarn
