package io.headgate.scheduler.runtime.text;

import io.headgate.scheduler.core.job.Rejection;
import io.headgate.scheduler.core.node.NodeId;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

/// Why a node gets no work for a while.
public final class SetAsideText {
  private SetAsideText() {}

  /// One sentence with the node's name.
  public static String sentence(NodeId node, Instant until, List<Rejection> evidence) {
    return "%s gets no work until %s: %s"
        .formatted(node.name(), until.truncatedTo(ChronoUnit.SECONDS), why(evidence));
  }

  /// The evidence in words. Names neither jobs nor users: not every reader may see them.
  public static String why(List<Rejection> evidence) {
    long users =
        evidence.stream()
            .map(rejection -> Map.entry(rejection.tenant(), rejection.user()))
            .distinct()
            .count();
    return "it rejected %s of %s".formatted(count(evidence.size(), "job"), count(users, "user"));
  }

  private static String count(long number, String what) {
    return number + " " + what + (number == 1 ? "" : "s");
  }
}
