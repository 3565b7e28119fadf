package io.headgate.scheduler.runtime.agent;

import java.util.Map;

/// Variables of jobs that the scheduler sets.
public final class JobVariables {
  private JobVariables() {}

  /// The variables of one of several equal jobs.
  ///
  /// @param index of the job, from 1 to count
  public static Map<String, String> ofCopy(int index, int count) {
    return Map.of(
        "HEADGATE_INDEX", Integer.toString(index), "HEADGATE_COUNT", Integer.toString(count));
  }
}
