package io.headgate.sdk.cli.command.top;

import io.headgate.sdk.cli.command.job.JobListing;
import io.headgate.sdk.cli.command.shared.PolicyStanding;
import io.headgate.sdk.cli.output.Cell;
import io.headgate.sdk.cli.output.Column;
import io.headgate.sdk.cli.output.Style;
import io.headgate.sdk.cli.output.TimeText;
import io.headgate.sdk.config.ByteText;
import io.headgate.sdk.config.CpuText;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.Usage;
import io.headgate.type.GpuQuantity;
import java.util.List;
import java.util.Locale;

/// The columns of the tables.
///
/// @param cells of each bar
record TopColumns(TopBars bars, int cells, TimeText times) {

  List<Column<Usage.OfPool>> pools() {
    return List.of(
        Column.of("POOL", pool -> Cell.of(pool.id())),
        Column.of(
            "USED",
            pool ->
                Cell.of(
                    bars.pool(pool.used(), pool.held(), pool.capacity(), cells)
                        + " "
                        + pool.used().mixed()
                        + " of "
                        + pool.capacity().mixed())),
        Column.<Usage.OfPool>ofGpus("HELD", Usage.OfPool::held),
        Column.<Usage.OfPool>ofGpus("IDLE", Usage.OfPool::idle).leaving(2),
        Column.<Usage.OfPool>ofGpus("UNUSABLE", Usage.OfPool::unusable),
        Column.<Usage.OfPool>ofGpus("DOWN", Usage.OfPool::down).leaving(1),
        Column.<Usage.OfPool>of("NODES", pool -> Cell.of(pool.liveNodes() + "/" + pool.nodes()))
            .toRight(),
        Column.<Usage.OfPool>of("RUN", pool -> Cell.of(pool.runningJobs())).toRight(),
        Column.<Usage.OfPool>of("WAIT", pool -> Cell.of(pool.waitingJobs())).toRight());
  }

  List<Column<Usage.OfPolicy>> policies() {
    return List.of(
        Column.of("POLICY", policy -> Cell.of(policy.id())),
        Column.of(
            "USAGE",
            policy ->
                Cell.of(
                    bars.policy(
                            policy.entitled(),
                            policy.used(),
                            policy.reservation(),
                            policy.limit(),
                            cells)
                        + " "
                        + policy.used().mixed())),
        Column.<Usage.OfPolicy>ofGpus("RESERVED", Usage.OfPolicy::reservation),
        Column.<Usage.OfPolicy>ofGpus("LIMIT", Usage.OfPolicy::limit),
        Column.<Usage.OfPolicy>of("RUN", policy -> Cell.of(policy.runningJobs())).toRight(),
        Column.<Usage.OfPolicy>of("WAIT", policy -> Cell.of(policy.waitingJobs())).toRight(),
        Column.<Usage.OfPolicy>of(
                "OLDEST", policy -> Cell.of(times.ago(policy.oldestWaitingTime())))
            .leaving(1),
        Column.<Usage.OfPolicy>of(
                "NEXT ETA", policy -> Cell.of(times.at(policy.nextExpectedStart())))
            .leaving(2),
        Column.<Usage.OfPolicy>of(
                "STATE",
                policy ->
                    PolicyStanding.of(
                        policy.used(), policy.reservation(), policy.limit(), policy.waitingJobs()))
            .givingWay());
  }

  List<Column<Job>> jobs() {
    return JobListing.listing(times, true).columns().stream()
        .filter(column -> !column.wide())
        .toList();
  }

  List<Column<Usage.OfNode>> nodes() {
    return List.of(
        Column.of("NODE", node -> Cell.of(node.id())),
        Column.<Usage.OfNode>of("POOL", node -> Cell.of(node.pool())).leaving(3),
        Column.of("CONTACT", TopColumns::contact),
        Column.of("GPUS", node -> Cell.of(gpus(node))),
        Column.<Usage.OfNode>of("CPUS", node -> Cell.of(CpuText.format(node.usedCpuMillis())))
            .toRight()
            .leaving(1),
        Column.<Usage.OfNode>of("MEMORY", node -> Cell.of(ByteText.round(node.usedMemoryBytes())))
            .toRight()
            .leaving(2),
        Column.<Usage.OfNode>of("JOBS", node -> Cell.of(String.join(", ", node.jobs())))
            .givingWay());
  }

  private String gpus(Usage.OfNode node) {
    GpuQuantity used = new GpuQuantity(TopRows.usedUnits(node));
    GpuQuantity held =
        new GpuQuantity(node.devices().stream().mapToLong(it -> it.held().units()).sum());
    GpuQuantity all = GpuQuantity.ONE.times(node.devices().size());
    return all.units() == 0
        ? "none"
        : bars.pool(used, held, all, cells) + " " + used.mixed() + " of " + all.mixed();
  }

  private static Cell contact(Usage.OfNode node) {
    String text = node.contact().name().toLowerCase(Locale.ROOT);
    if (node.setAsideUntil() != null) {
      return Cell.of(Style.WAITING, "set aside");
    }
    return switch (node.contact()) {
      case CONNECTED -> Cell.of(Style.GOOD, text);
      case SUSPECT -> Cell.of(Style.WAITING, text);
      case LOST -> Cell.of(Style.BAD, text);
      case NEVER, UNKNOWN -> Cell.of(Style.DIM, text);
    };
  }
}
