package io.headgate.sdk.cli.command.configuration;

import io.headgate.proto.policy.v1.Queue;
import io.headgate.proto.scheduler.v1.QueueUsage;
import io.headgate.sdk.cli.command.shared.ItemsById;
import io.headgate.sdk.cli.command.shared.JobTexts;
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
import io.headgate.sdk.model.Reason;
import io.headgate.sdk.model.Usage;
import io.headgate.sdk.wire.ResourceNames;
import io.headgate.sdk.wire.RightsMessages;
import io.headgate.sdk.wire.UsageMessages;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `headgate queues`.
@Command(
    header = {
      "headgate queues                all queues: waiting jobs, and why the first one waits",
      "headgate queues ai-dev-half    one queue with all its fields",
      ""
    },
    description = "Lists queues. A job is submitted to a queue.")
public final class QueuesCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();
  @Mixin private final ListFlags list = new ListFlags();

  @Parameters(arity = "0..1", paramLabel = "QUEUE", description = "Show only this queue.")
  private @Nullable String name;

  private record UsedQueue(
      Policy.Queue queue, String policy, boolean paused, Usage.OfQueue usage) {}

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws InterruptedException {
    return new NamedList<>(
            "queue", listing(invocation.output().times()), () -> rows(invocation.session()))
        .run(invocation, list, name);
  }

  private static List<Row<UsedQueue>> rows(Session session) {
    Map<String, QueueUsage> usages =
        ItemsById.byId(session.catalog().queueUsages(), QueueUsage::getQueue);
    return session.catalog().queues().stream().map(queue -> row(queue, usages)).toList();
  }

  private static Row<UsedQueue> row(Queue queue, Map<String, QueueUsage> usages) {
    String id = ResourceNames.id(queue.getName());
    QueueUsage usage =
        usages.getOrDefault(
            id,
            QueueUsage.newBuilder()
                .setQueue(id)
                .setPolicy(queue.getPolicy())
                .setProfile(queue.getProfile())
                .build());
    return new Row<>(
        new UsedQueue(
            RightsMessages.queue(queue),
            queue.getPolicy(),
            queue.getPaused(),
            UsageMessages.usage(usage)),
        List.of(
            new RowMessage("queue", "queues", queue), new RowMessage("usage", "usages", usage)));
  }

  private static Listing<UsedQueue> listing(TimeText times) {
    return new Listing<>(
        "queues",
        List.of("queues", "usages"),
        row -> row.queue().name(),
        List.of(
            Column.of("QUEUE", row -> Cell.of(row.queue().name())),
            Column.<UsedQueue>of("POLICY", row -> Cell.of(row.policy())).leaving(5),
            Column.<UsedQueue>of("PROFILE", row -> Cell.of(row.queue().profile())).leaving(2),
            Column.<UsedQueue>of("RANK", row -> Cell.of(row.queue().rank()))
                .leaving(1)
                .toRight()
                .sortedBy(row -> row.queue().rank()),
            Column.<UsedQueue>ofGpus("USED", row -> row.usage().used()).leaving(4),
            Column.<UsedQueue>of("RUNNING", row -> Cell.of(row.usage().runningJobs()))
                .toRight()
                .sortedBy(row -> row.usage().runningJobs()),
            Column.<UsedQueue>of("WAITING", row -> Cell.of(row.usage().waitingJobs()))
                .toRight()
                .sortedBy(row -> row.usage().waitingJobs()),
            Column.<UsedQueue>of(
                    "OLDEST", row -> Cell.of(times.ago(row.usage().oldestWaitingTime())))
                .leaving(3),
            Column.<UsedQueue>of("FIRST WAITS FOR", QueuesCommand::reason).givingWay(),
            Column.<UsedQueue>of(
                    "OVER RESERVATION", row -> Cell.of(row.queue().overReservation().keyword()))
                .whenWide()));
  }

  private static Cell reason(UsedQueue row) {
    if (row.paused()) {
      return Cell.of(Style.WAITING, "paused");
    }
    Reason reason = row.usage().headReason();
    return reason == null ? Cell.NONE : Cell.of(JobTexts.reason(reason));
  }
}
