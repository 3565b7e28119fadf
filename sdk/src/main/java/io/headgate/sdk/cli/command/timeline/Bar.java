package io.headgate.sdk.cli.command.timeline;

import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// The time in which one holder had one slice without a gap.
///
/// @param parts of different marks, one after the other
/// @param lasts whether it had not ended when the server was asked
/// @param preempted whether the holder had to go for another job
record Bar(Place place, Holder holder, List<Part> parts, boolean lasts, boolean preempted) {
  Bar {
    parts = List.copyOf(parts);
  }

  /// A slice of a device.
  record Place(String pool, String node, int device, GpuQuantity quantity) {}

  /// A job that has a slice, or for which it is held.
  ///
  /// @param tenant empty: the caller's
  /// @param job id; empty: it is not stored any more
  /// @param attempt 0: the slice is held for it
  /// @param policy empty: the caller does not see the job
  record Holder(
      String tenant,
      String job,
      int attempt,
      String user,
      String policy,
      String queue,
      String profile) {
    boolean isSeen() {
      return !policy.isEmpty();
    }

    /// The text in a bar.
    String label() {
      if (!isSeen()) {
        return "";
      }
      String name = job.isEmpty() ? "(" + policy + ")" : job;
      return tenant.isEmpty() ? name : tenant + "/" + name;
    }
  }

  record Part(Instant from, Instant until, Mark mark) {
    /// How long it overlaps a period, in milliseconds.
    long overlapMillis(Instant begin, Instant end) {
      Instant first = from.isAfter(begin) ? from : begin;
      Instant last = until.isBefore(end) ? until : end;
      return Math.max(0, Duration.between(first, last).toMillis());
    }
  }

  Instant from() {
    return parts.getFirst().from();
  }

  Instant until() {
    return parts.getLast().until();
  }

  boolean covers(Instant time) {
    return !time.isBefore(from()) && time.isBefore(until());
  }
}
