package com.linkedin.tony;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * The names of TonY's settings, and its defaults, for programs that set them in a Configuration.
 * docs/from-tony.md says what each setting does.
 */
public final class TonyConfigurationKeys {
  public static final String TONY_PREFIX = "tony.";

  // The application
  public static final String TONY_APPLICATION_PREFIX = "tony.application.";
  public static final String APPLICATION_NAME = "tony.application.name";
  public static final String APPLICATION_TYPE = "tony.application.type";
  public static final String APPLICATION_TAGS = "tony.application.tags";
  public static final String APPLICATION_NODE_LABEL = "tony.application.node-label";
  public static final String APPLICATION_PLACEMENT_SPEC = "tony.application.placement-spec";
  public static final String APPLICATION_TIMEOUT = "tony.application.timeout";
  public static final String APPLICATION_PREPARE_STAGE = "tony.application.prepare-stage";
  public static final String APPLICATION_TRAINING_STAGE = "tony.application.training-stage";
  public static final String APPLICATION_DISTRIBUTED_MODE = "tony.application.distributed-mode";
  public static final String APPLICATION_HADOOP_LOCATION = "tony.application.hadoop.location";
  public static final String APPLICATION_HADOOP_CLASSPATH = "tony.application.hadoop.classpath";
  public static final String FRAMEWORK_NAME = "tony.application.framework";
  public static final String ENABLE_PREPROCESSING_JOB = "tony.application.enable-preprocess";
  public static final String RM_CLIENT_CONNECT_RETRY_MULTIPLIER =
      "tony.application.num-client-rm-connect-retries";
  public static final String UNTRACKED_JOBTYPES = "tony.application.untracked.jobtypes";
  public static final String SIDECAR_JOBTYPES = "tony.application.sidecar.jobtypes";
  public static final String STOP_ON_FAILURE_JOBTYPES =
      "tony.application.stop-on-failure-jobtypes";
  public static final String FAIL_ON_WORKER_FAILURE_ENABLED =
      "tony.application.fail-on-worker-failure-enabled";
  public static final String SECURITY_ENABLED = "tony.application.security.enabled";
  public static final String HDFS_CONF_LOCATION = "tony.application.hdfs-conf-path";
  public static final String YARN_CONF_LOCATION = "tony.application.yarn-conf-path";
  public static final String MAPRED_CONF_LOCATION = "tony.application.mapred-conf-path";
  public static final String TENSORBOARD_LOG_DIR = "tony.application.tensorboard-log-dir";
  public static final String YARN_QUEUE_NAME = "tony.yarn.queue";
  public static final String OTHER_NAMENODES_TO_ACCESS = "tony.other.namenodes";

  // Its master
  public static final String AM_PREFIX = "tony.am.";
  public static final String AM_RETRY_COUNT = "tony.am.retry-count";
  public static final String AM_MEMORY = "tony.am.memory";
  public static final String AM_VCORES = "tony.am.vcores";
  public static final String AM_GPUS = "tony.am.gpus";
  public static final String AM_STARTUP_TIMEOUT = "tony.am.startup-timeout";
  public static final String AM_WAIT_CLIENT_STOP_TIMEOUT =
      "tony.am.wait-client-signal-stop-timeout-sec";

  // All tasks
  public static final String TONY_TASK_PREFIX = "tony.task.";
  public static final String MAX_TOTAL_INSTANCES = "tony.task.max-total-instances";
  public static final String TASK_AM_JVM_OPTS = "tony.task.am.jvm.opts";
  public static final String TASK_EXECUTOR_JVM_OPTS = "tony.task.executor.jvm.opts";
  public static final String TASK_DEFAULT_JVM_OPTS = "tony.task.default.jvm.opts";
  public static final String TASK_HEARTBEAT_INTERVAL_MS = "tony.task.heartbeat-interval-ms";
  public static final String TASK_MAX_MISSED_HEARTBEATS = "tony.task.max-missed-heartbeats";
  public static final String TASK_METRICS_UPDATE_INTERVAL_MS = "tony.task.metrics-interval-ms";
  public static final String TASK_GPU_METRICS_ENABLED = "tony.task.gpu-metrics.enabled";
  public static final String TASK_EXECUTION_TIMEOUT = "tony.task.executor.execution-timeout-ms";
  public static final String TASK_EXECUTOR_MAX_REGISTRY_SEC =
      "tony.task.executor.registry-timeout-sec";
  public static final String TASK_EXECUTOR_EXECUTION_ERROR_MESSAGE_MAX_DEPTH =
      "tony.task.executor.execution.error-message-max-depth";
  public static final String CONTAINER_PREFIX = "tony.container.";
  public static final String CONTAINER_REGISTRATION_TIMEOUT =
      "tony.container.registration.timeout";
  public static final String CONTAINER_ALLOCATION_TIMEOUT = "tony.container.allocation.timeout";
  public static final String CONTAINER_LAUNCH_ENV = "tony.containers.envs";
  public static final String EXECUTION_ENV = "tony.execution.envs";
  public static final String GPU_PATH_TO_EXEC = "tony.gpu-exec-path";
  public static final String PYTHON_EXEC_PATH = "tony.python-exec-path";
  public static final String DOCKER_PREFIX = "tony.docker.";
  public static final String DOCKER_ENABLED = "tony.docker.enabled";

  // TensorBoard beside the job, and Horovod
  public static final String TB_VCORE = "tony.tensorboard.vcores";
  public static final String TB_MEMORY = "tony.tensorboard.memory";
  public static final String TB_GPUS = "tony.tensorboard.gpus";
  public static final String TB_INSTANCES = "tony.tensorboard.instances";
  public static final String HOROVOD_DRIVER_DEBUG_MODE_ENABLE = "tony.horovod.driver.mode.debug";

  // What jobs leave
  public static final String TONY_HISTORY_LOCATION = "tony.history.location";
  public static final String TONY_HISTORY_INTERMEDIATE = "tony.history.intermediate";
  public static final String TONY_HISTORY_FINISHED = "tony.history.finished";
  public static final String TONY_PORTAL_URL = "tony.portal.url";

  // Names by pattern, and values that a setting has where nobody sets it
  public static final String INSTANCES_REGEX = "tony\\.([a-z]+)\\.instances";
  public static final String RESOURCES_REGEX = "tony\\.([a-z]+)\\.resources";
  public static final String MAX_TOTAL_RESOURCES_REGEX = "tony.task.max-total-([a-z]+)";
  public static final String DEFAULT_YARN_QUEUE_NAME = "default";
  public static final String DEFAULT_APPLICATION_NAME = "TonyApplication";
  public static final String DEFAULT_APPLICATION_TYPE = "TONY";
  public static final String DEFAULT_FRAMEWORK_NAME = "tensorflow";
  public static final String DEFAULT_APPLICATION_DISTRIBUTED_MODE = "GANG";
  public static final int DEFAULT_APPLICATION_TIMEOUT = 0;
  public static final boolean DEFAULT_ENABLE_PREPROCESSING_JOB = false;
  public static final boolean DEFAULT_SECURITY_ENABLED = true;
  public static final boolean DEFAULT_DOCKER_ENABLED = false;
  public static final String UNTRACKED_JOBTYPES_DEFAULT = "ps";
  public static final String DEFAULT_AM_MEMORY = "2g";
  public static final int DEFAULT_AM_VCORES = 1;
  public static final int DEFAULT_AM_GPUS = 0;
  public static final int DEFAULT_AM_RETRY_COUNT = 0;
  public static final String DEFAULT_MEMORY = "2g";
  public static final int DEFAULT_VCORES = 1;
  public static final int DEFAULT_GPUS = 0;
  public static final int DEFAULT_TASK_HEARTBEAT_INTERVAL_MS = 1000;
  public static final int DEFAULT_TASK_MAX_MISSED_HEARTBEATS = 25;
  public static final int DEFAULT_TB_INSTANCES = 1;
  public static final int DEFAULT_TB_VCORE = 2;
  public static final String DEFAULT_TB_MEMORY = "2g";
  public static final int DEFAULT_TB_GPUS = 0;
  public static final String DEFAULT_TONY_PORTAL_URL = "https://localhost:19886";

  /** Settings to which `-conf` adds a value where others have one replaced. */
  public static final List<String> MULTI_VALUE_CONF = Collections.unmodifiableList(
      Arrays.asList(CONTAINER_LAUNCH_ENV, EXECUTION_ENV, "tony.containers.resources"));

  private TonyConfigurationKeys() {}

  public static String getInstancesKey(String jobName) {
    return getResourceKey(jobName, "instances");
  }

  public static String getMaxInstancesKey(String jobName) {
    return getResourceKey(jobName, "max-instances");
  }

  /** Returns the key of a job type's "memory", "vcores" or "gpus". */
  public static String getResourceKey(String jobName, String resource) {
    return TONY_PREFIX + jobName + "." + resource;
  }

  public static String getMaxTotalResourceKey(String resource) {
    return TONY_TASK_PREFIX + "max-total-" + resource;
  }

  public static String getNodeLabelKey(String jobName) {
    return getResourceKey(jobName, "node-label");
  }

  public static String getResourcesKey(String jobName) {
    return getResourceKey(jobName, "resources");
  }

  public static String getPlacementSpecKey(String jobName) {
    return getResourceKey(jobName, "placement-spec");
  }

  public static String getAllocationSpecKey(String jobName) {
    return getResourceKey(jobName, "allocation-tags");
  }

  public static String getExecuteCommandKey(String jobName) {
    return getResourceKey(jobName, "command");
  }

  public static String getContainerResourcesKey() {
    return getResourcesKey("containers");
  }

  public static String getContainerPlacementSpecKey() {
    return getPlacementSpecKey("containers");
  }

  public static String getContainerAllocationTagsKey() {
    return getAllocationSpecKey("containers");
  }

  public static String getContainerExecuteCommandKey() {
    return getExecuteCommandKey("containers");
  }

  public static String getDockerImageKey(String jobName) {
    return DOCKER_PREFIX + jobName + ".image";
  }

  public static String getContainerDockerKey() {
    return getDockerImageKey("containers");
  }

  public static String getContainerDockerMountKey() {
    return DOCKER_PREFIX + "containers.mount";
  }

  public static String getGroupKey(String groupName) {
    return TONY_APPLICATION_PREFIX + "group." + groupName;
  }

  public static String getGroupDependentKey(String jobName, String groupName) {
    return TONY_APPLICATION_PREFIX + "dependency." + jobName + ".timeout.after." + groupName;
  }

  public static String getGroupDependentIgnoredKey(String jobName, String groupName) {
    return getGroupDependentKey(jobName, groupName) + ".ignored";
  }
}
