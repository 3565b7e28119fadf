package io.headgate.sdk.cli.command.configuration;

import io.headgate.proto.scheduler.v1.PolicyUsage;
import io.headgate.sdk.cli.command.shared.ItemsById;
import io.headgate.sdk.cli.command.shared.NamedList;
import io.headgate.sdk.cli.command.shared.PolicyStanding;
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
import io.headgate.sdk.cli.output.TimeText;
import io.headgate.sdk.wire.ResourceNames;
import io.headgate.sdk.wire.RightsMessages;
import io.headgate.sdk.wire.UsageMessages;
import io.headgate.type.GpuQuantity;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
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
    description = {
      "Lists policies, which are the rights of groups, and their usage. Tables show them below their",
      "departments; the usage of a department is that of the listed policies in it."
    })
public final class PoliciesCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();
  @Mixin private final ListFlags list = new ListFlags();

  @Parameters(arity = "0..1", paramLabel = "POLICY", description = "Show only this policy.")
  private @Nullable String name;

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws InterruptedException {
    return new NamedList<>("policy", listing(invocation.output().times()), () -> shown(invocation))
        .run(invocation, list, name);
  }

  /// Tables show policies below their departments. Other forms, and lists that are filtered or
  /// sorted, have policies only.
  private List<Row<PolicyLine>> shown(Invocation invocation) {
    Session session = invocation.session();
    List<Row<PolicyLine>> policies = rows(session);
    boolean isTree =
        name == null
            && list.filter == null
            && list.sort == null
            && invocation.form().isTable()
            && policies.stream().anyMatch(row -> row.value().department() != null);
    return isTree
        ? PolicyTree.of(
            session.catalog().departments().stream().map(RightsMessages::department).toList(),
            policies)
        : policies;
  }

  private static List<Row<PolicyLine>> rows(Session session) {
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
              PolicyLine.of(RightsMessages.policy(policy, List.of()), UsageMessages.usage(usage)),
              List.of(
                  new RowMessage("policy", "policies", policy),
                  new RowMessage("usage", "usages", usage)));
        })
        .toList();
  }

  private static Listing<PolicyLine> listing(TimeText times) {
    return new Listing<>(
        "policies",
        List.of("policies", "usages"),
        PolicyLine::name,
        List.of(
            Column.<PolicyLine>of("POLICY", row -> Cell.of(row.indented()))
                .plainly(PolicyLine::name),
            Column.<PolicyLine>ofGpus("USED", row -> row.usage().used()),
            Column.<PolicyLine>ofGpus("RESERVED", row -> row.reservation()),
            Column.<PolicyLine>of("LIMIT", row -> Cell.of(limit(row, GpuQuantity::mixed)))
                .toRight()
                .plainly(row -> limit(row, GpuQuantity::toString))
                .sortedBy(row -> Objects.requireNonNullElse(row.limit(), GpuQuantity.ZERO)),
            Column.<PolicyLine>of("RUNNING", row -> Cell.of(row.usage().runningJobs()))
                .leaving(2)
                .toRight()
                .sortedBy(row -> row.usage().runningJobs()),
            Column.<PolicyLine>of("WAITING", row -> Cell.of(row.usage().waitingJobs()))
                .toRight()
                .sortedBy(row -> row.usage().waitingJobs()),
            Column.<PolicyLine>of(
                    "OLDEST", row -> Cell.of(times.ago(row.usage().oldestWaitingTime())))
                .leaving(1),
            Column.<PolicyLine>of(
                    "STATE",
                    row ->
                        PolicyStanding.of(
                            row.usage().used(),
                            row.reservation(),
                            row.limit(),
                            row.usage().waitingJobs()))
                .givingWay(),
            Column.<PolicyLine>ofGpus("DEMAND", row -> row.usage().demand()).whenWide(),
            Column.<PolicyLine>of("GROUP", row -> Cell.of(text(row.group()))).whenWide(),
            Column.<PolicyLine>of("DEPARTMENT", row -> Cell.of(text(row.department()))).whenWide(),
            Column.<PolicyLine>of("WEIGHT", row -> Cell.of(row.weight())).toRight().whenWide(),
            Column.<PolicyLine>of("PER USER", row -> Cell.of(text(row.perUserLimit())))
                .toRight()
                .whenWide(),
            Column.<PolicyLine>of("ON PREEMPT", row -> Cell.of(text(row.onPreempt()))).whenWide(),
            Column.<PolicyLine>of("DESCRIPTION", row -> Cell.of(text(row.description())))
                .whenWide()
                .givingWay()));
  }

  private static String limit(PolicyLine line, Function<GpuQuantity, String> form) {
    GpuQuantity limit = line.limit();
    return limit == null ? "" : form.apply(limit);
  }

  private static String text(@Nullable Object value) {
    return value == null ? "" : value.toString();
  }
}
