package com.linkedin.tony.cli;

/** Submits a job and waits for its end. */
public abstract class TonySubmitter {
  /** Returns 0 if the job succeeded. */
  public abstract int submit(String[] args) throws Exception;
}
