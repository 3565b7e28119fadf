package io.headgate.sdk.cli.command.top;

import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.Usage;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/// The rows of each table, filtered and ordered as the state says. Only the table with the focus is
/// filtered and ordered.
record TopRows(TopData data, TopState state) {

  List<Usage.OfPool> pools() {
    Comparator<Usage.OfPool> order =
        switch (order(TopView.POOLS)) {
          case 1 -> Comparator.comparing(Usage.OfPool::used).reversed();
          case 2 -> Comparator.comparing(Usage.OfPool::idle).reversed();
          default -> Comparator.comparing(Usage.OfPool::id);
        };
    return rows(TopView.POOLS, data.pools(), Usage.OfPool::id, order);
  }

  List<Usage.OfPolicy> policies() {
    Comparator<Usage.OfPolicy> order =
        switch (order(TopView.POLICIES)) {
          case 1 -> Comparator.comparing(Usage.OfPolicy::overReservation).reversed();
          case 2 -> Comparator.comparingLong(Usage.OfPolicy::waitingJobs).reversed();
          case 3 ->
              Comparator.comparing(
                  policy -> Objects.requireNonNullElse(policy.oldestWaitingTime(), Instant.MAX));
          default -> Comparator.comparing(Usage.OfPolicy::id);
        };
    return rows(TopView.POLICIES, data.policies(), Usage.OfPolicy::id, order);
  }

  List<Job> jobs() {
    Comparator<Job> order =
        switch (order(TopView.JOBS)) {
          case 1 -> Comparator.comparing(Job::gpus).reversed();
          case 2 -> Comparator.comparing(Job::policy);
          // As the server gave them: those that run first, newest first.
          default -> (_, _) -> 0;
        };
    return rows(TopView.JOBS, data.jobs().shown(), Job::id, order);
  }

  List<Usage.OfNode> nodes() {
    Comparator<Usage.OfNode> order =
        switch (order(TopView.NODES)) {
          case 1 -> Comparator.comparing(Usage.OfNode::pool);
          case 2 -> Comparator.comparingLong(TopRows::usedUnits).reversed();
          default -> Comparator.comparing(Usage.OfNode::id);
        };
    return rows(TopView.NODES, data.nodes(), Usage.OfNode::id, order);
  }

  static long usedUnits(Usage.OfNode node) {
    return node.devices().stream().mapToLong(device -> device.used().units()).sum();
  }

  /// Ids of the rows of the table with the focus, in their order.
  List<String> ids() {
    return switch (state.view()) {
      case POOLS -> pools().stream().map(Usage.OfPool::id).toList();
      case POLICIES -> policies().stream().map(Usage.OfPolicy::id).toList();
      case JOBS -> jobs().stream().map(Job::id).toList();
      case NODES -> nodes().stream().map(Usage.OfNode::id).toList();
    };
  }

  /// Index of the selected row; the first, if the selected one is gone; -1: there is no row.
  int selected() {
    List<String> ids = ids();
    return ids.isEmpty() ? -1 : Math.max(0, ids.indexOf(state.selected()));
  }

  private int order(TopView view) {
    return state.view() == view ? state.order() : 0;
  }

  private <T> List<T> rows(TopView view, List<T> all, Function<T, String> id, Comparator<T> order) {
    TopFilter filter = TopFilter.parse(state.view() == view ? state.filter() : "");
    return all.stream().filter(row -> filter.admits(id.apply(row))).sorted(order).toList();
  }
}
