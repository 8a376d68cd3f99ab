package com.linkedin.tony;

/**
 * Names that programs around TonY share: of files, of types of tasks, of resources, and of the
 * variables that tasks find. Those of TonY's master and executor, which are not here, are left out.
 */
public final class Constants {
  public static final String APP_TYPE = "TONY";

  // Files and folders
  public static final String TONY_XML = "tony.xml";
  public static final String TONY_DEFAULT_XML = "tony-default.xml";
  public static final String TONY_FINAL_XML = "tony-final.xml";
  public static final String TONY_SITE_CONF = "tony-site.xml";
  public static final String TONY_CONF_DIR = "TONY_CONF_DIR";
  public static final String DEFAULT_TONY_CONF_DIR = "/export/apps/tony/conf";
  public static final String TONY_FOLDER = ".tony";
  public static final String TONY_JAR_NAME = "tony.jar";
  public static final String HADOOP_CONF_DIR = "HADOOP_CONF_DIR";
  public static final String CORE_SITE_CONF = "core-site.xml";
  public static final String HDFS_SITE_CONF = "hdfs-site.xml";
  public static final String YARN_SITE_CONF = "yarn-site.xml";
  public static final String MAPRED_SITE_CONF = "mapred-site.xml";
  public static final String PYTHON_VENV_DIR = "venv";
  public static final String PYTHON_VENV_ZIP = "venv.zip";

  // Entries of `resources`: SOURCE::NAME, SOURCE#archive
  public static final String RESOURCE_DIVIDER = "::";
  public static final String ARCHIVE_SUFFIX = "#archive";

  // Types of tasks
  public static final String AM_NAME = "am";
  public static final String CHIEF_JOB_NAME = "chief";
  public static final String DRIVER_JOB_NAME = "driver";
  public static final String EVALUATOR_JOB_NAME = "evaluator";
  public static final String NOTEBOOK_JOB_NAME = "notebook";
  public static final String PS_JOB_NAME = "ps";
  public static final String SCHEDULER_JOB_NAME = "scheduler";
  public static final String SERVER_JOB_NAME = "server";
  public static final String SIDECAR_TB_ROLE_NAME = "tensorboard";
  public static final String WORKER_JOB_NAME = "worker";

  // Resources, for TonyConfigurationKeys.getResourceKey()
  public static final String MEMORY = "memory";
  public static final String VCORES = "vcores";
  public static final String GPUS = "gpus";
  public static final String GPU_URI = "yarn.io/gpu";

  // Variables of tasks
  public static final String ATTEMPT_NUMBER = "ATTEMPT_NUMBER";
  public static final String CLUSTER_SPEC = "CLUSTER_SPEC";
  public static final String DISTRIBUTED_MODE_NAME = "DISTRIBUTED_MODE";
  public static final String INIT_METHOD = "INIT_METHOD";
  public static final String IS_CHIEF = "IS_CHIEF";
  public static final String JOB_ID = "JOB_ID";
  public static final String JOB_NAME = "JOB_NAME";
  public static final String PREPROCESSING_JOB = "PREPROCESSING_JOB";
  public static final String RANK = "RANK";
  public static final String SESSION_ID = "SESSION_ID";
  public static final String SIDECAR_TB_LOG_DIR = "TB_LOG_DIR";
  public static final String SKIP_HADOOP_PATH = "SKIP_HADOOP_PATH";
  public static final String TASK_INDEX = "TASK_INDEX";
  public static final String TASK_NUM = "TASK_NUM";
  public static final String TASK_PARAM_KEY = "MODEL_PARAMS";
  public static final String TB_PORT = "TB_PORT";
  public static final String TF_CONFIG = "TF_CONFIG";
  public static final String WORLD = "WORLD";

  // The end of a job, as its history names it
  public static final String SUCCEEDED = "SUCCEEDED";
  public static final String FAILED = "FAILED";
  public static final String RUNNING = "RUNNING";

  private Constants() {}
}
