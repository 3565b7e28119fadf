package io.headgate.sdk.cli.command.supply;

import io.headgate.proto.scheduler.v1.PoolUsage;
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
import io.headgate.sdk.config.ByteText;
import io.headgate.sdk.config.CpuText;
import io.headgate.sdk.config.Pool;
import io.headgate.sdk.model.Usage;
import io.headgate.sdk.wire.ResourceNames;
import io.headgate.sdk.wire.SupplyMessages;
import io.headgate.sdk.wire.UsageMessages;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `headgate pools`.
@Command(
    header = {
      "headgate pools              all pools: capacity, use, nodes",
      "headgate pools onprem       one pool with all its fields",
      ""
    },
    description = "Lists pools: hardware of one kind that jobs can run on.")
public final class PoolsCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();
  @Mixin private final ListFlags list = new ListFlags();

  @Parameters(arity = "0..1", paramLabel = "POOL", description = "Show only this pool.")
  private @Nullable String name;

  private record UsedPool(Pool pool, Usage.OfPool usage) {}

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws InterruptedException {
    return new NamedList<>("pool", listing(), () -> rows(invocation.session()))
        .run(invocation, list, name);
  }

  private static List<Row<UsedPool>> rows(Session session) {
    Map<String, PoolUsage> usages =
        ItemsById.byId(session.catalog().poolUsages(), PoolUsage::getPool);
    return Stream.concat(session.catalog().pools().stream(), removed(session, usages).stream())
        .map(pool -> {
          String id = ResourceNames.id(pool.getName());
          PoolUsage usage = usages.getOrDefault(id, PoolUsage.newBuilder().setPool(id).build());
          return new Row<>(
              new UsedPool(SupplyMessages.pool(pool), UsageMessages.usage(usage)),
              List.of(
                  new RowMessage("pool", "pools", pool), new RowMessage("usage", "usages", usage)));
        })
        .toList();
  }

  /// Pools that were removed and still have nodes: their GPUs would vanish from the list otherwise.
  private static List<io.headgate.proto.pool.v1.Pool> removed(
      Session session, Map<String, PoolUsage> usages) {
    Set<String> known =
        session.catalog().pools().stream()
            .map(pool -> ResourceNames.id(pool.getName()))
            .collect(Collectors.toSet());
    return usages.values().stream()
        .filter(usage -> !known.contains(usage.getPool()) && usage.getNodes() > 0)
        .sorted(Comparator.comparing(PoolUsage::getPool))
        .map(usage ->
            io.headgate.proto.pool.v1.Pool.newBuilder()
                .setName(ResourceNames.of(session.tenant(), "pools", usage.getPool()))
                .setDescription("removed; its nodes get no new work: let them join another pool")
                .build())
        .toList();
  }

  private static Listing<UsedPool> listing() {
    return new Listing<>(
        "pools",
        List.of("pools", "usages"),
        row -> row.pool().name(),
        List.of(
            Column.of("POOL", row -> Cell.of(row.pool().name())),
            Column.<UsedPool>of("MODEL", row -> Cell.of(text(row.pool().gpuModel()))).leaving(1),
            Column.<UsedPool>ofGpus("USED", row -> row.usage().used()),
            Column.<UsedPool>ofGpus("HELD", row -> row.usage().held()).leaving(2),
            Column.<UsedPool>ofGpus("IDLE", row -> row.usage().idle()),
            Column.<UsedPool>ofGpus("CAPACITY", row -> row.usage().capacity()),
            Column.<UsedPool>ofGpus("DOWN", row -> row.usage().down()).leaving(3),
            Column.<UsedPool>of(
                    "NODES", row -> Cell.of(row.usage().liveNodes() + "/" + row.usage().nodes()))
                .toRight(),
            Column.<UsedPool>of("JOBS", row -> Cell.of(row.usage().runningJobs()))
                .toRight()
                .sortedBy(row -> row.usage().runningJobs()),
            Column.<UsedPool>of("TYPE", row -> Cell.of(row.pool().type().keyword())).whenWide(),
            Column.<UsedPool>of("CEILING", row -> Cell.of(text(row.pool().capacity()))).whenWide(),
            Column.<UsedPool>of("MIG", row -> Cell.of(row.pool().mig().keyword())).whenWide(),
            Column.<UsedPool>of("STORAGE", row -> Cell.of(text(row.pool().storage()))).whenWide(),
            Column.<UsedPool>of("INSTANCE", row -> Cell.of(instance(row.pool()))).whenWide(),
            Column.<UsedPool>of("ORDER", row -> Cell.of(String.join(", ", row.pool().order())))
                .whenWide(),
            Column.<UsedPool>of("DEDICATED TO", row -> Cell.of(owner(row.pool()))).whenWide(),
            Column.<UsedPool>of("PRICE", row -> Cell.of(price(row.pool()))).whenWide(),
            Column.<UsedPool>of("DESCRIPTION", row -> Cell.of(text(row.pool().description())))
                .whenWide()
                .givingWay()));
  }

  private static String owner(Pool pool) {
    return switch (pool.dedicatedTo()) {
      case null -> "";
      case Pool.Dedication.ToPolicy(String owner) -> "policy " + owner;
      case Pool.Dedication.ToGroup(String owner) -> "group " + owner;
    };
  }

  /// The shape of one machine: `8 x A100 80GiB, 96 CPUs, 1TiB`; empty: the pool does not say.
  private static String instance(Pool pool) {
    Pool.Instance instance =
        pool.elasticity() == null ? pool.instance() : pool.elasticity().instance();
    if (instance == null) {
      return "";
    }
    List<String> parts = new ArrayList<>();
    parts.add(
        instance.gpus() == 0
            ? "no GPU"
            : Stream.of(
                    instance.gpus() + " x",
                    instance.gpuModel() == null ? text(pool.gpuModel()) : instance.gpuModel(),
                    instance.gpuMemoryBytes() == 0
                        ? ""
                        : ByteText.format(instance.gpuMemoryBytes()))
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining(" ")));
    if (instance.cpuMillis() > 0) {
      parts.add(CpuText.format(instance.cpuMillis()) + " CPUs");
    }
    if (instance.memoryBytes() > 0) {
      parts.add(ByteText.format(instance.memoryBytes()));
    }
    return String.join(", ", parts);
  }

  private static String price(Pool pool) {
    return pool.pricePerGpuHour() == null
        ? ""
        : pool.pricePerGpuHour().toPlainString()
            + " "
            + (pool.currency() == null ? "" : pool.currency() + " ")
            + "a GPU-hour";
  }

  private static String text(@Nullable Object value) {
    return value == null ? "" : value.toString();
  }
}
