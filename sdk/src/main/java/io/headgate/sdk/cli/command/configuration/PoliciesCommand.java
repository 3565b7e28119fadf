package io.headgate.sdk.cli.command.configuration;

import io.headgate.proto.scheduler.v1.PolicyUsage;
import io.headgate.sdk.cli.command.shared.ItemsById;
import io.headgate.sdk.cli.command.shared.NamedList;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.frame.ListFlags;
import io.headgate.sdk.cli.frame.Session;
import io.headgate.sdk.cli.output.Cell;
import io.headgate.sdk.cli.output.Column;
import io.headgate.sdk.cli.output.Listing;
import io.headgate.sdk.cli.output.Row;
import io.headgate.sdk.cli.output.RowMessage;
import io.headgate.sdk.cli.output.Style;
import io.headgate.sdk.cli.output.TimeText;
import io.headgate.sdk.config.Policy;
import io.headgate.sdk.model.Usage;
import io.headgate.sdk.wire.ResourceNames;
import io.headgate.sdk.wire.RightsMessages;
import io.headgate.sdk.wire.UsageMessages;
import io.headgate.type.GpuQuantity;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `headgate policies`.
@Command(
    header = {
      "headgate policies           usage, reservation and limit of each team",
      "headgate policies ai-dev    one policy with all its fields",
      ""
    },
    description = "Lists policies, which are the rights of groups, and their usage.")
public final class PoliciesCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();
  @Mixin private final ListFlags list = new ListFlags();

  @Parameters(arity = "0..1", paramLabel = "POLICY", description = "Show only this policy.")
  private @Nullable String name;

  private record UsedPolicy(Policy policy, Usage.OfPolicy usage) {}

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws InterruptedException {
    return new NamedList<>(
            "policy", listing(invocation.output().times()), () -> rows(invocation.session()))
        .run(invocation, list, name);
  }

  private static List<Row<UsedPolicy>> rows(Session session) {
    Map<String, PolicyUsage> usages =
        ItemsById.byId(session.catalog().policyUsages(), PolicyUsage::getPolicy);
    return session.catalog().policies().stream()
        .map(policy -> {
          String id = ResourceNames.id(policy.getName());
          PolicyUsage usage =
              usages.getOrDefault(
                  id,
                  PolicyUsage.newBuilder()
                      .setPolicy(id)
                      .setReservation(policy.getReservation())
                      .setLimit(policy.getLimit())
                      .build());
          return new Row<>(
              new UsedPolicy(RightsMessages.policy(policy, List.of()), UsageMessages.usage(usage)),
              List.of(
                  new RowMessage("policy", "policies", policy),
                  new RowMessage("usage", "usages", usage)));
        })
        .toList();
  }

  private static Listing<UsedPolicy> listing(TimeText times) {
    return new Listing<>(
        "policies",
        List.of("policies", "usages"),
        row -> row.policy().name(),
        List.of(
            Column.of("POLICY", row -> Cell.of(row.policy().name())),
            Column.<UsedPolicy>ofGpus("USED", row -> row.usage().used()),
            Column.<UsedPolicy>ofGpus("RESERVED", row -> row.policy().reservation()),
            Column.<UsedPolicy>ofGpus("LIMIT", row -> row.policy().limit()),
            Column.<UsedPolicy>of("RUNNING", row -> Cell.of(row.usage().runningJobs()))
                .leaving(2)
                .toRight()
                .sortedBy(row -> row.usage().runningJobs()),
            Column.<UsedPolicy>of("WAITING", row -> Cell.of(row.usage().waitingJobs()))
                .toRight()
                .sortedBy(row -> row.usage().waitingJobs()),
            Column.<UsedPolicy>of(
                    "OLDEST", row -> Cell.of(times.ago(row.usage().oldestWaitingTime())))
                .leaving(1),
            Column.<UsedPolicy>of("STATE", row -> state(row.usage(), row.policy())).givingWay(),
            Column.<UsedPolicy>ofGpus("DEMAND", row -> row.usage().demand()).whenWide(),
            Column.<UsedPolicy>of("GROUP", row -> Cell.of(row.policy().group())).whenWide(),
            Column.<UsedPolicy>of("WEIGHT", row -> Cell.of(row.policy().weight()))
                .toRight()
                .whenWide(),
            Column.<UsedPolicy>of("PER USER", row -> Cell.of(text(row.policy().perUserLimit())))
                .toRight()
                .whenWide(),
            Column.<UsedPolicy>of("ON PREEMPT", row -> Cell.of(row.policy().onPreempt().keyword()))
                .whenWide(),
            Column.<UsedPolicy>of("DESCRIPTION", row -> Cell.of(text(row.policy().description())))
                .whenWide()
                .givingWay()));
  }

  /// The policy's use in relation to its reservation and limit.
  private static Cell state(Usage.OfPolicy usage, Policy policy) {
    GpuQuantity used = usage.used();
    int toLimit = used.compareTo(policy.limit());
    if (toLimit > 0) {
      return Cell.of(Style.BAD, "above limit by " + used.minus(policy.limit()).mixed());
    }
    if (toLimit == 0 && policy.limit().units() > 0) {
      return Cell.of(Style.WAITING, "at limit");
    }
    int toReservation = used.compareTo(policy.reservation());
    if (toReservation > 0) {
      return Cell.of(Style.WAITING, "over by " + used.minus(policy.reservation()).mixed());
    }
    if (toReservation == 0) {
      return Cell.of(policy.reservation().units() == 0 ? "" : "at reservation");
    }
    GpuQuantity below = policy.reservation().minus(used);
    if (usage.waitingJobs() > 0) {
      return Cell.of(Style.BAD, below.mixed() + " below, jobs wait");
    }
    // Unused GPUs below the reservation are no fault while no job waits.
    return used.units() == 0 ? Cell.of(Style.DIM, "idle") : Cell.of(Style.GOOD, "as reserved");
  }

  private static String text(@Nullable Object value) {
    return value == null ? "" : value.toString();
  }
}
