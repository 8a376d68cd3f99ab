#include "cluster/spark/spark_cluster.h"

namespace muster::cluster::spark {

Result<Fit> SparkCluster::fit(const job::Plan& plan) {
  Fit fit;
  fit.capacity = "the executors of a Spark application";
  for (const job::RolePlan& role : plan.roles) {
    RoleFit one;
    one.role = role.name;
    one.containers = (role.tasks + role.tasks_per_container - 1) / role.tasks_per_container;
    one.each = role.resources;
    fit.roles.push_back(std::move(one));
  }
  return fit;
}

}  // namespace muster::cluster::spark
