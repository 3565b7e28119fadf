package io.headgate.scheduler.core;

import io.headgate.scheduler.core.queue.HeadroomOrder;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.rights.PolicyAccount;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Queue;

/// The jobs that limits block, in the order in which they may hold headroom (O7).
///
/// Jobs of one policy are in an order of their own, and the first ones of different policies are
/// compared with each other. So there is one order, although the two comparators do not agree.
final class HeadroomCandidates {
  private HeadroomCandidates() {}

  static List<LiveJob> inOrder(Collection<LiveJob> jobs) {
    Map<PolicyAccount, List<LiveJob>> byPolicy = new LinkedHashMap<>();
    for (LiveJob job : jobs) {
      byPolicy.computeIfAbsent(job.queue().account(), key -> new ArrayList<>()).add(job);
    }
    List<LiveJob> ordered = new ArrayList<>(jobs.size());
    PriorityQueue<Queue<LiveJob>> firsts =
        new PriorityQueue<>(
            Comparator.comparing(
                (Queue<LiveJob> line) -> Objects.requireNonNull(line.peek()),
                HeadroomOrder.BETWEEN_POLICIES));
    byPolicy.forEach((policy, line) -> {
      line.sort(HeadroomOrder.WITHIN_POLICY);
      boolean sharesPools = line.getFirst().queue().group().isShared();
      if (policy.department().isEmpty() && !sharesPools) {
        // It shares no limit with other policies.
        ordered.addAll(line);
      } else {
        firsts.add(new ArrayDeque<>(line));
      }
    });
    for (Queue<LiveJob> line = firsts.poll(); line != null; line = firsts.poll()) {
      ordered.add(line.remove());
      if (!line.isEmpty()) {
        firsts.add(line);
      }
    }
    return ordered;
  }
}
