package io.headgate.scheduler.store;

import static io.headgate.scheduler.store.jooq.Tables.DOWN_SLICES;

import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.ledger.DownInterval;
import io.headgate.scheduler.core.ledger.DownStep;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jooq.DSLContext;
import org.jooq.Record;

/// The slices that are or were down: what a leader writes, and what the next one reads to go on.
final class DownRows {
  private static final String INSERT_INTERVALS =
      """
      insert into down_interval (tenant, pool, node, devices, device_uuids, device_units, since,
        until)
      select a, b, c, d::integer[], e::text[], f::bigint[], g, h
      from unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[],
        ?::timestamptz[], ?::timestamptz[]) as rows (a, b, c, d, e, f, g, h)\
      """;

  private static final String DELETE =
      """
      delete from down_slices using unnest(?::text[], ?::text[]) as rows (a, b)
      where tenant = a and node = b\
      """;

  private static final String INSERT =
      """
      insert into down_slices (tenant, pool, node, devices, device_uuids, device_units, since)
      select a, b, c, d::integer[], e::text[], f::bigint[], g
      from unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[],
        ?::timestamptz[]) as rows (a, b, c, d, e, f, g)\
      """;

  private DownRows() {}

  static void intervals(Script script, List<DownInterval> intervals) {
    script.add(
        INSERT_INTERVALS,
        slices(new Columns<>(intervals), DownInterval::node, DownInterval::down)
            .time(DownInterval::from)
            .time(DownInterval::until));
  }

  /// @param steps one for each node
  static void steps(Script script, List<DownStep> steps) {
    script.add(
        DELETE,
        new Columns<>(steps)
            .text(step -> step.node().tenant().name())
            .text(step -> step.node().name()));
    List<DownStep> down = steps.stream().filter(step -> step.down().isPresent()).toList();
    if (!down.isEmpty()) {
      script.add(
          INSERT,
          slices(new Columns<>(down), DownStep::node, step -> step.down().orElseThrow())
              .time(DownStep::at));
    }
  }

  private static <T> Columns<T> slices(
      Columns<T> columns, Function<T, NodeId> node, Function<T, DownStep.Down> down) {
    return columns
        .text(each -> node.apply(each).tenant().name())
        .text(each -> down.apply(each).pool().name())
        .text(each -> node.apply(each).name())
        .list(each -> down.apply(each).slices().stream().map(Slice::device).toList())
        .list(each -> down.apply(each).slices().stream().map(Slice::uuid).toList())
        .list(each ->
            down.apply(each).slices().stream().map(slice -> slice.quantity().units()).toList());
  }

  static List<DownStep> read(DSLContext read) {
    return read.selectFrom(DOWN_SLICES)
        .orderBy(DOWN_SLICES.TENANT, DOWN_SLICES.NODE)
        .fetch(DownRows::step);
  }

  private static DownStep step(Record row) {
    TenantId tenant = new TenantId(row.get(DOWN_SLICES.TENANT));
    List<Slice> slices = new ArrayList<>();
    for (int i = 0; i < row.get(DOWN_SLICES.DEVICES).length; i++) {
      slices.add(
          new Slice(
              Objects.requireNonNull(row.get(DOWN_SLICES.DEVICES)[i]),
              row.get(DOWN_SLICES.DEVICE_UUIDS)[i],
              new GpuQuantity(row.get(DOWN_SLICES.DEVICE_UNITS)[i]),
              0));
    }
    return new DownStep(
        new NodeId(tenant, row.get(DOWN_SLICES.NODE)),
        row.get(DOWN_SLICES.SINCE),
        Optional.of(new DownStep.Down(new PoolId(tenant, row.get(DOWN_SLICES.POOL)), slices)));
  }
}
