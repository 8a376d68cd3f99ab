#include "app/page_address.h"

#include "app/job_page.h"
#include "app/yarn_client.h"
#include "base/text.h"
#include "cluster/master_place_file.h"
#include "control/keys.h"

namespace muster::app {

std::string page_link_of(Session& session, const cluster::JobFolder& folder,
                         const cluster::MasterPlace& place) {
  if (!place.application_id.empty()) {
    return yarn_client_of(session, folder)->cluster().page_of(folder.root()).value_or("");
  }
  const Result<std::string> text = session.files->read(folder.secret(), 4096);
  if (!text.has_value()) {
    return {};
  }
  const Result<control::Secret> secret = control::parse_key(trim(*text));
  return secret.has_value() ? page_link(place.address, *secret) : std::string();
}

std::string page_link_here(Session& session, const cluster::JobFolder& folder) {
  const Result<std::string> text = session.files->read(folder.master_place(), 4096);
  if (!text.has_value()) {
    return {};
  }
  const auto place = cluster::parse_master_place(*text);
  return place.has_value() ? page_link_of(session, folder, {.address = place->address}) : "";
}

}  // namespace muster::app
