#include "client/submit/tracking_variables.h"

#include <array>
#include <string>
#include <string_view>

namespace muster::client {
namespace {

using spec::EnvValue;

constexpr std::string_view kTrackingUri = "MLFLOW_TRACKING_URI";
constexpr std::array<std::string_view, 2> kOpenVariables = {"MLFLOW_EXPERIMENT_NAME",
                                                            "MLFLOW_EXPERIMENT_ID"};
constexpr std::array<std::string_view, 3> kCredentials = {
    "MLFLOW_TRACKING_TOKEN", "MLFLOW_TRACKING_USERNAME", "MLFLOW_TRACKING_PASSWORD"};

bool is_server(std::string_view uri) {
  return uri.starts_with("http://") || uri.starts_with("https://");
}

void bring(spec::Spec& spec, const Surroundings& surroundings, std::string_view name, bool secret) {
  const auto found = surroundings.environment.find(name);
  if (found == surroundings.environment.end() || found->second.empty()) {
    return;
  }
  spec.env.try_emplace(
      std::string(name),
      EnvValue{.source = secret ? EnvValue::Source::FromEnv : EnvValue::Source::Literal,
               .text = secret ? std::string(name) : found->second});
}

}  // namespace

void bring_tracking_variables(spec::Spec& spec, const Surroundings& surroundings) {
  const auto uri = surroundings.environment.find(kTrackingUri);
  if (uri == surroundings.environment.end() || !is_server(uri->second) ||
      spec.env.contains(std::string(kTrackingUri))) {
    return;
  }
  bring(spec, surroundings, kTrackingUri, uri->second.find('@') != std::string::npos);
  for (const std::string_view name : kOpenVariables) {
    bring(spec, surroundings, name, false);
  }
  for (const std::string_view name : kCredentials) {
    bring(spec, surroundings, name, true);
  }
}

}  // namespace muster::client
