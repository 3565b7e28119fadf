package io.headgate.sdk.cli.command.supply;

import io.headgate.proto.pool.v1.Pool;
import io.headgate.proto.scheduler.v1.NodeUsage;
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
import io.headgate.sdk.config.ByteText;
import io.headgate.sdk.config.CpuText;
import io.headgate.sdk.model.Node;
import io.headgate.sdk.model.Usage;
import io.headgate.sdk.wire.ResourceNames;
import io.headgate.sdk.wire.SupplyMessages;
import io.headgate.sdk.wire.UsageMessages;
import io.headgate.type.GpuQuantity;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `headgate nodes`.
@Command(
    header = {
      "headgate nodes              all nodes: devices, usage, contact",
      "headgate nodes gpu-03       one node with all its fields",
      ""
    },
    description = "Lists nodes: machines with devices.")
public final class NodesCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();
  @Mixin private final ListFlags list = new ListFlags();

  @Parameters(arity = "0..1", paramLabel = "NODE", description = "Show only this node.")
  private @Nullable String name;

  /// @param pooled whether its pool exists; the GPUs of a node of a removed pool are of no use
  /// @param storage that its pool names; empty: none
  private record UsedNode(Node node, Usage.OfNode usage, boolean pooled, String storage) {
    boolean lacksStorage() {
      return !storage.isEmpty() && !node.storages().contains(storage);
    }

    GpuQuantity used() {
      return usage.devices().stream()
          .map(Usage.OfDevice::used)
          .reduce(GpuQuantity.ZERO, GpuQuantity::plus);
    }
  }

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws InterruptedException {
    return new NamedList<>(
            "node", listing(invocation.output().times()), () -> rows(invocation.session()))
        .run(invocation, list, name);
  }

  private static List<Row<UsedNode>> rows(Session session) {
    Map<String, NodeUsage> usages =
        ItemsById.byId(session.catalog().nodeUsages(), NodeUsage::getNode);
    Map<String, Pool> pools = ItemsById.byId(session.catalog().pools(), NodesCommand::id);
    return session.catalog().nodes().stream()
        .map(node -> {
          String id = ResourceNames.id(node.getName());
          NodeUsage usage = usages.getOrDefault(id, NodeUsage.newBuilder().setNode(id).build());
          return new Row<>(
              new UsedNode(
                  SupplyMessages.node(node),
                  UsageMessages.usage(usage),
                  pools.containsKey(node.getPool()),
                  pools.getOrDefault(node.getPool(), Pool.getDefaultInstance()).getStorage()),
              List.of(
                  new RowMessage("node", "nodes", node), new RowMessage("usage", "usages", usage)));
        })
        .toList();
  }

  private static String id(Pool pool) {
    return ResourceNames.id(pool.getName());
  }

  private static Listing<UsedNode> listing(TimeText times) {
    return new Listing<>(
        "nodes",
        List.of("nodes", "usages"),
        row -> row.node().id(),
        List.of(
            Column.of("NODE", row -> Cell.of(row.node().id())),
            Column.<UsedNode>of("POOL", row -> Cell.of(row.node().pool())).leaving(2),
            Column.of("STATE", NodesCommand::state),
            Column.<UsedNode>of("DEVICES", row -> Cell.of(devices(row.node()))).givingWay(),
            Column.<UsedNode>ofGpus("USED", row -> row.used()),
            Column.<UsedNode>of("JOBS", row -> Cell.of(row.usage().jobs().size()))
                .leaving(3)
                .toRight()
                .sortedBy(row -> row.usage().jobs().size()),
            Column.<UsedNode>of(
                    "CPUS",
                    row ->
                        Cell.of(
                            CpuText.format(row.usage().usedCpuMillis())
                                + "/"
                                + CpuText.format(row.node().cpuMillis())))
                .leaving(1)
                .toRight(),
            Column.<UsedNode>of("MEMORY", row -> Cell.of(gibibytes(row.node().memoryBytes())))
                .toRight()
                .sortedBy(row -> row.node().memoryBytes())
                .whenWide(),
            Column.<UsedNode>of("HEARD", row -> Cell.of(times.ago(row.usage().lastContactTime())))
                .whenWide(),
            Column.<UsedNode>of("DRIVER", row -> Cell.of(row.node().driver())).whenWide(),
            Column.<UsedNode>of("ISOLATION", row -> Cell.of(isolation(row.node()))).whenWide(),
            Column.<UsedNode>of("IMAGES", row -> Cell.of(images(row.usage()))).whenWide(),
            Column.<UsedNode>of(
                    "STORAGES", row -> Cell.of(String.join(", ", row.node().storages())))
                .whenWide(),
            Column.<UsedNode>of("HOST", row -> Cell.of(row.node().hostname())).whenWide(),
            Column.<UsedNode>of("AGENT", row -> Cell.of(row.node().agentVersion())).whenWide(),
            Column.<UsedNode>of("LABELS", row -> Cell.of(LabelCommand.labels(row.node())))
                .whenWide()
                .givingWay(),
            Column.<UsedNode>of("GPU TROUBLE", row -> Cell.of(DeviceHealthText.text(row.node())))
                .whenWide()
                .givingWay(),
            Column.<UsedNode>of("WHY NO WORK", row -> Cell.of(whyNoWork(row, times)))
                .whenWide()
                .givingWay(),
            Column.<UsedNode>of("WHY DRAINING", row -> Cell.of(row.node().drainReason()))
                .whenWide()
                .givingWay(),
            Column.<UsedNode>of("RUNS", row -> Cell.of(String.join(", ", row.usage().jobs())))
                .whenWide()
                .givingWay()));
  }

  private static Cell state(UsedNode row) {
    if (row.node().quarantine() != null) {
      return Cell.of(Style.BAD, "quarantine");
    }
    if (!row.pooled()) {
      return Cell.of(Style.BAD, "no pool");
    }
    String storage = row.lacksStorage() ? ", no storage" : "";
    String flaws = (row.node().draining() ? ", draining" : "") + storage;
    return switch (row.usage().contact()) {
      case CONNECTED ->
          row.lacksStorage()
              ? Cell.of(Style.BAD, flaws.substring(2))
              : row.node().draining()
                  ? Cell.of(Style.WAITING, "draining")
                  : row.usage().setAsideUntil() != null
                      ? Cell.of(Style.WAITING, "set aside")
                      : Cell.of(Style.GOOD, "connected");
      case SUSPECT -> Cell.of(Style.WAITING, "suspect" + flaws);
      case LOST -> Cell.of(Style.BAD, "lost" + flaws);
      case NEVER -> Cell.of(Style.DIM, "never connected" + flaws);
      case UNKNOWN -> Cell.of(Style.DIM, "unknown" + flaws);
    };
  }

  /// Why the node is in quarantine, without a pool or its storage, or set aside, and what ends
  /// that.
  private static String whyNoWork(UsedNode row, TimeText times) {
    Node.Quarantine quarantine = row.node().quarantine();
    if (quarantine != null) {
      return "%s; headgate approve %s".formatted(quarantine.reason(), row.node().id());
    }
    if (!row.pooled()) {
      return "its pool %s was removed; headgate move %s POOL"
          .formatted(row.node().pool(), row.node().id());
    }
    if (row.lacksStorage()) {
      return "it has no path for storage %s of its pool; name it in agent.storages there"
          .formatted(row.storage());
    }
    Instant until = row.usage().setAsideUntil();
    return until == null
        ? ""
        : "%s; until %s, or headgate undrain %s"
            .formatted(row.usage().setAsideReason(), times.at(until), row.node().id());
  }

  /// `SIMULATED 8 x H100 80GiB`: the warning comes first, because a narrow terminal cuts the end.
  private static String devices(Node node) {
    Map<String, Integer> kinds = new TreeMap<>();
    for (Node.Device device : node.devices()) {
      String memory = device.memoryBytes() == 0 ? "" : " " + ByteText.format(device.memoryBytes());
      kinds.merge(device.gpuModel() + memory, 1, Integer::sum);
    }
    String text =
        kinds.isEmpty()
            ? "no GPU"
            : String.join(
                ", ",
                kinds.entrySet().stream()
                    .map(kind -> kind.getValue() + " x " + kind.getKey())
                    .toList());
    String sick = DeviceHealthText.count(node);
    return (node.simulated() ? "SIMULATED " + text : text) + (sick.isEmpty() ? "" : ", " + sick);
  }

  /// The strongest isolation of a slice on its devices: `hardware`, `none`, `SIMULATED`.
  private static String isolation(Node node) {
    if (node.simulated()) {
      return "SIMULATED";
    }
    return String.join(
        ", ",
        new TreeSet<>(
            node.devices().stream()
                .map(Node.Device::isolation)
                .map(level -> level == null ? "none" : level.keyword())
                .toList()));
  }

  /// Whether the node runs jobs with an image.
  private static String images(Usage.OfNode usage) {
    return usage.runsImages() == null ? "" : usage.runsImages() ? "yes" : "no";
  }

  private static String gibibytes(long bytes) {
    return bytes == 0 ? "" : (bytes >> 30) + "GiB";
  }
}
