#include "cluster/spark/spark_cluster.h"

#include "spec/keys/cluster_support.h"

namespace muster::cluster::spark {

Status SparkCluster::check_driver() const {
  return start_master_ ? Status()
                       : Status(unsupported(*this, "be given jobs from the command line",
                                            "they are started by a Spark program: call "
                                            "muster.spark.run() or "
                                            "tensorflowonspark.TFCluster.run() in it"));
}

Traits SparkCluster::traits() const {
  Traits traits = host_->traits();
  traits.sized = true;
  return traits;
}

Result<Fit> SparkCluster::fit(const job::Plan& plan) {
  MUSTER_TRY_STATUS(check_driver());
  Fit fit;
  fit.capacity = "the executors of a Spark application";
  for (const job::RolePlan& role : plan.roles) {
    RoleFit one;
    one.role = role.name;
    one.containers = (role.tasks + role.tasks_per_container - 1) / role.tasks_per_container;
    one.each = role.resources;
    fit.roles.push_back(std::move(one));
  }
  fit.warnings = spec::unheeded_warnings(plan.spec, spec::ClusterType::Spark);
  return fit;
}

Result<MasterPlace> SparkCluster::submit(const Submission& submission) {
  MUSTER_TRY_STATUS(check_driver());
  return start_master_(submission);
}

Result<Retained> SparkCluster::retain(const RetentionRules&) {
  return unsupported(
      *this, "be cleaned",
      "its jobs are kept with those of the driver's machine; run `muster clean` there");
}

Result<std::vector<Finding>> SparkCluster::examine(ExamineDepth) {
  return unsupported(*this, "be examined from here", "only a Spark program sees its executors");
}

}  // namespace muster::cluster::spark
