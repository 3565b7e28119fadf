package io.headgate.scheduler.core.job;

import org.jspecify.annotations.Nullable;

/// Names a job. The shell assigns it; the core reads no order or meaning into it.
public record JobId(long value) {
  // As a record has them, written out: they are asked for more often than anything else.
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof JobId that && value == that.value;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(value);
  }

  @Override
  public String toString() {
    return Long.toString(value);
  }
}
