package io.headgate.sdk.cli.command.configuration;

import io.headgate.sdk.cli.output.Row;
import io.headgate.sdk.config.Department;
import io.headgate.sdk.model.Usage;
import io.headgate.type.GpuQuantity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Policies below their departments. On each level the departments come first, each with its
/// members, and then the policies.
final class PolicyTree {
  private final List<Department> departments;
  private final List<Row<PolicyLine>> policies;

  private PolicyTree(List<Department> departments, List<Row<PolicyLine>> policies) {
    this.departments = departments;
    this.policies = policies;
  }

  static List<Row<PolicyLine>> of(List<Department> departments, List<Row<PolicyLine>> policies) {
    return new PolicyTree(departments, policies).below(null, 0);
  }

  /// @param above null: the tenant
  private List<Row<PolicyLine>> below(@Nullable String above, int depth) {
    List<Row<PolicyLine>> lines = new ArrayList<>();
    for (Department department : departments) {
      if (Objects.equals(department.department(), above)) {
        List<Row<PolicyLine>> members = below(department.name(), depth + 1);
        lines.add(new Row<>(line(department, depth, members), List.of()));
        lines.addAll(members);
      }
    }
    for (Row<PolicyLine> policy : policies) {
      if (Objects.equals(policy.value().department(), above)) {
        lines.add(new Row<>(policy.value().at(depth), policy.parts()));
      }
    }
    return lines;
  }

  private static PolicyLine line(Department department, int depth, List<Row<PolicyLine>> members) {
    GpuQuantity used = GpuQuantity.ZERO;
    GpuQuantity entitled = GpuQuantity.ZERO;
    GpuQuantity over = GpuQuantity.ZERO;
    GpuQuantity demand = GpuQuantity.ZERO;
    GpuQuantity reserved = GpuQuantity.ZERO;
    long running = 0;
    long waiting = 0;
    Instant oldest = null;
    for (Row<PolicyLine> member : members) {
      PolicyLine line = member.value();
      if (line.depth() == depth + 1) {
        Usage.OfPolicy usage = line.usage();
        used = used.plus(usage.used());
        entitled = entitled.plus(usage.entitled());
        over = over.plus(usage.overReservation());
        demand = demand.plus(usage.demand());
        reserved = reserved.plus(line.reservation());
        running += usage.runningJobs();
        waiting += usage.waitingJobs();
        oldest = earlier(oldest, usage.oldestWaitingTime());
      }
    }
    GpuQuantity reservation = Objects.requireNonNullElse(department.reservation(), reserved);
    GpuQuantity limit = department.limit();
    return new PolicyLine(
        department.name(),
        depth,
        new Usage.OfPolicy(
            department.name(),
            used,
            entitled,
            over,
            reservation,
            Objects.requireNonNullElse(limit, GpuQuantity.ZERO),
            demand,
            running,
            waiting,
            oldest,
            null),
        reservation,
        limit,
        department.weight(),
        null);
  }

  private static @Nullable Instant earlier(@Nullable Instant a, @Nullable Instant b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    return a.isBefore(b) ? a : b;
  }
}
