package com.linkedin.tony.client;

import org.apache.hadoop.yarn.api.records.ApplicationId;

/** Hears which application of YARN a job has become. */
public interface CallbackHandler {
  /** Called once, as soon as the job has been submitted to YARN, on the thread of start(). */
  void onApplicationIdReceived(ApplicationId appId);
}
