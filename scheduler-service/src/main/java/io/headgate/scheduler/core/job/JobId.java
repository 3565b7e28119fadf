package io.headgate.scheduler.core.job;

/// Names a job. The shell assigns it; the core reads no order or meaning into it.
public record JobId(long value) {
  @Override
  public String toString() {
    return Long.toString(value);
  }
}
