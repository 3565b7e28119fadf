package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.rights.Standing;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/// The attempts that could be victims of a job, by place. The attempts of a node are in the order
/// of victims.
final class Candidates {
  private final Map<PoolState, List<Candidate>> byPool = new HashMap<>();

  /// In the order of each node's first candidate.
  private final Map<PoolState, SequencedMap<NodeState, List<Candidate>>> byNode = new HashMap<>();

  private final List<Candidate> all = new ArrayList<>();

  private final Optional<Instant> protectedUntil;

  /// @param walk is used up
  Candidates(VictimWalk walk) {
    List<LiveAttempt> inOrder = walk.all();
    protectedUntil = walk.protectedUntil();
    for (int place = 0; place < inOrder.size(); place++) {
      add(new Candidate(inOrder.get(place), place));
    }
  }

  private void add(Candidate candidate) {
    LiveAttempt attempt = candidate.attempt();
    all.add(candidate);
    byPool.computeIfAbsent(attempt.pool(), key -> new ArrayList<>()).add(candidate);
    SequencedMap<NodeState, List<Candidate>> nodes =
        byNode.computeIfAbsent(attempt.pool(), key -> new LinkedHashMap<>());
    if (attempt.workers() == 1) {
      nodes.computeIfAbsent(attempt.nodes().getFirst(), key -> new ArrayList<>()).add(candidate);
      return;
    }
    for (NodeState node : new LinkedHashSet<>(attempt.nodes())) {
      nodes.computeIfAbsent(node, key -> new ArrayList<>()).add(candidate);
    }
  }

  /// The earliest end of protection of an attempt that is none.
  Optional<Instant> protectedUntil() {
    return protectedUntil;
  }

  int size() {
    return all.size();
  }

  /// How many have the standing as things stand.
  int count(Standing standing) {
    int count = 0;
    for (Candidate candidate : all) {
      if (VictimWalk.standing(candidate.attempt()) == standing) {
        count++;
      }
    }
    return count;
  }

  /// The candidates of all pools that may help in a trial, in the order of victims.
  List<Candidate> helpingIn(RemovalTrial trial) {
    return all.stream().filter(candidate -> trial.gainsBy(candidate.attempt())).toList();
  }

  /// The candidates of a pool, in the order of victims.
  List<Candidate> in(PoolState pool) {
    return byPool.getOrDefault(pool, List.of());
  }

  /// The candidates of each node of a pool.
  SequencedMap<NodeState, List<Candidate>> nodesOf(PoolState pool) {
    SequencedMap<NodeState, List<Candidate>> nodes = byNode.get(pool);
    return nodes == null ? new LinkedHashMap<>() : nodes;
  }
}
