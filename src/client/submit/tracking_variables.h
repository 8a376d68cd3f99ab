#pragma once

#include "client/submit/job_source.h"
#include "spec/spec.h"

namespace muster::client {

/// Copies the variables by which MLflow's clients find their server (MLFLOW_TRACKING_URI and those
/// that go with it) from the submitter's environment, if that names a server and the job does not
/// say otherwise: its master and tasks may run elsewhere. Credentials become secrets.
void bring_tracking_variables(spec::Spec& spec, const Surroundings& surroundings);

}  // namespace muster::client
