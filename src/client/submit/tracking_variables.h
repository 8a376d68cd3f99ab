#pragma once

#include "client/submit/job_source.h"
#include "spec/spec.h"

namespace muster::client {

/// Takes the variables by which MLflow's clients find their server (MLFLOW_TRACKING_URI and those
/// that go with it) over from the submitter's environment, where that names a server and the job
/// does not say otherwise: its master and its tasks may run elsewhere. Credentials become secrets.
void bring_tracking_variables(spec::Spec& spec, const Surroundings& surroundings);

}  // namespace muster::client
