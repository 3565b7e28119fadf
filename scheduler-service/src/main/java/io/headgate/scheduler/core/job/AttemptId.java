package io.headgate.scheduler.core.job;

/// One run of a job.
///
/// @param number counts the job's attempts from 1
public record AttemptId(JobId job, int number) {
  public AttemptId {
    if (number < 1) {
      throw new IllegalArgumentException("attempt " + number + " of job " + job);
    }
  }

  @Override
  public String toString() {
    return job + "#" + number;
  }
}
