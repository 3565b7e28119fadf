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

  /// The variables of an element of an array.
  ///
  /// @param array id of the array, as users name it
  public static Map<String, String> ofElement(String array, int number, int size) {
    return Map.of(
        "HEADGATE_ARRAY",
        array,
        "HEADGATE_INDEX",
        Integer.toString(number),
        "HEADGATE_COUNT",
        Integer.toString(size));
  }
}
