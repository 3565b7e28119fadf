package io.headgate.scheduler.grpc;

import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.runtime.desk.LeaderView;
import java.util.List;
import java.util.stream.Collectors;

/// Says which nodes take no work because they lack the storage of their pool.
final class StorageText {
  private StorageText() {}

  /// Sentences about the pools of the queue's jobs, each after a space; empty: no node lacks one.
  static String of(LeaderView leader, QueueId queue) {
    List<PoolId> pools =
        leader
            .catalog()
            .queue(queue)
            .map(Queue::profile)
            .flatMap(leader.catalog()::profile)
            .map(Profile::pools)
            .orElse(List.of());
    return pools.stream().map(pool -> of(leader, pool)).collect(Collectors.joining());
  }

  private static String of(LeaderView leader, PoolId pool) {
    int lacking = leader.reads().withoutStorage(pool);
    return lacking == 0
        ? ""
        : " %d %s of %s %s no work without its storage %s: headgate nodes -o wide."
            .formatted(
                lacking,
                lacking == 1 ? "node" : "nodes",
                pool.name(),
                lacking == 1 ? "gets" : "get",
                leader.catalog().storage(pool).orElse(""));
  }
}
