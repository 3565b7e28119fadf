package io.headgate.sdk.model;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Changes of a job that waits or is a draft; null: a part stays as it is.
///
/// @param priority higher goes first within its queue, -1000 to 1000
/// @param maxRuntime the job is stopped after running this long; zero: no limit from now on
/// @param queue another queue
public record JobUpdate(
    @Nullable Integer priority, @Nullable Duration maxRuntime, @Nullable String queue) {
  /// Changes nothing yet.
  public static final JobUpdate NOTHING = new JobUpdate(null, null, null);

  public JobUpdate withPriority(int value) {
    return new JobUpdate(value, maxRuntime, queue);
  }

  public JobUpdate withMaxRuntime(Duration limit) {
    return new JobUpdate(priority, limit, queue);
  }

  public JobUpdate withQueue(String id) {
    return new JobUpdate(priority, maxRuntime, id);
  }
}
