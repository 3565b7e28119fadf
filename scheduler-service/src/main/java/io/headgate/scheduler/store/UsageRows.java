package io.headgate.scheduler.store;

import static io.headgate.scheduler.store.jooq.Tables.HELD_SLICES;

import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.ledger.DownStep;
import io.headgate.scheduler.core.ledger.Entries;
import io.headgate.scheduler.core.ledger.HeldStep;
import io.headgate.scheduler.core.ledger.Holding;
import io.headgate.scheduler.core.ledger.PoolBalance;
import io.headgate.scheduler.core.ledger.PoolStep;
import io.headgate.scheduler.core.ledger.Price;
import io.headgate.scheduler.core.ledger.ReservationStep;
import io.headgate.scheduler.core.ledger.ShortageStep;
import io.headgate.scheduler.core.ledger.Split;
import io.headgate.scheduler.core.ledger.Terms;
import io.headgate.scheduler.core.ledger.UsageInterval;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.record.LoadedState.UsageTold;
import io.headgate.type.GpuQuantity;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jspecify.annotations.Nullable;

/// The ledger of usage: what a leader writes, and what the next one reads to go on.
final class UsageRows {
  private static final String INSERT_INTERVALS =
      """
      insert into usage_interval (tenant, departments, policy, group_name, queue, profile, pool,
        user_id, price, currency, nodes, devices, device_uuids, device_units, job_id, attempt,
        since, until, entitled, over_reservation, above_limit, held, waited_ms, preempted, lost,
        busy_ms, measured_ms)
      select a, b::text[], c, d, e, f, g, h, i::numeric, j, k::text[], l::integer[], m::text[],
        n::bigint[], o, p, q, r, s, t, u, v, w, x, y, z, aa
      from unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[],
        ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[],
        ?::integer[], ?::timestamptz[], ?::timestamptz[], ?::bigint[], ?::bigint[], ?::bigint[],
        ?::bigint[], ?::bigint[], ?::boolean[], ?::bigint[], ?::bigint[], ?::bigint[])
        as rows (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z,
          aa)\
      """;

  /// A decision at the same millisecond as the one before replaces what that said.
  private static final String UPSERT_POOL_STEPS =
      """
      insert into pool_step (tenant, pool, at, capacity, entitled, over_reservation, above_limit,
        held, idle, unusable, down)
      select * from unnest(?::text[], ?::text[], ?::timestamptz[], ?::bigint[], ?::bigint[],
        ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[])
      on conflict (tenant, pool, at) do update set capacity = excluded.capacity,
        entitled = excluded.entitled, over_reservation = excluded.over_reservation,
        above_limit = excluded.above_limit, held = excluded.held, idle = excluded.idle,
        unusable = excluded.unusable, down = excluded.down\
      """;

  private static final String UPSERT_SHORTAGE_STEPS =
      """
      insert into shortage_step (tenant, policy, at, reservation, missing, reason)
      select * from unnest(?::text[], ?::text[], ?::timestamptz[], ?::bigint[], ?::bigint[],
        ?::text[])
      on conflict (tenant, policy, at) do update set reservation = excluded.reservation,
        missing = excluded.missing, reason = excluded.reason\
      """;

  private static final String UPSERT_RESERVATION_STEPS =
      """
      insert into reservation_step (tenant, policy, at, departments, reservation, "limit")
      select a, b, c, d::text[], e, f from unnest(?::text[], ?::text[], ?::timestamptz[], ?::text[],
        ?::bigint[], ?::bigint[]) as rows (a, b, c, d, e, f)
      on conflict (tenant, policy, at) do update set departments = excluded.departments,
        reservation = excluded.reservation, "limit" = excluded."limit"\
      """;

  private static final String LAST_RESERVATION_STEPS =
      """
      select distinct on (tenant, policy) tenant, policy, at, departments, reservation, "limit"
      from reservation_step order by tenant, policy, at desc\
      """;

  private static final String DELETE_HELD =
      "delete from held_slices using unnest(?::bigint[]) as rows (a) where job_id = a";

  private static final String INSERT_HELD =
      """
      insert into held_slices (tenant, departments, policy, group_name, queue, profile, pool,
        user_id, price, currency, nodes, devices, device_uuids, device_units, job_id, since)
      select a, b::text[], c, d, e, f, g, h, i::numeric, j, k::text[], l::integer[], m::text[],
        n::bigint[], o, p
      from unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[],
        ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[],
        ?::timestamptz[])
        as rows (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)\
      """;

  /// From pool to pool by the index, so that old steps cost nothing.
  private static final String LAST_POOL_STEPS =
      """
      with recursive each as (
        (select tenant, pool from pool_step order by tenant, pool limit 1)
        union all
        select next.tenant, next.pool from each, lateral (
          select tenant, pool from pool_step
          where (tenant, pool) > (each.tenant, each.pool) order by tenant, pool limit 1) as next)
      select last.* from each, lateral (
        select * from pool_step where tenant = each.tenant and pool = each.pool
        order by at desc limit 1) as last\
      """;

  private static final String LAST_SHORTAGE_STEPS =
      """
      with recursive each as (
        (select tenant, policy from shortage_step order by tenant, policy limit 1)
        union all
        select next.tenant, next.policy from each, lateral (
          select tenant, policy from shortage_step
          where (tenant, policy) > (each.tenant, each.policy)
          order by tenant, policy limit 1) as next)
      select last.* from each, lateral (
        select * from shortage_step where tenant = each.tenant and policy = each.policy
        order by at desc limit 1) as last
      where missing > 0\
      """;

  private UsageRows() {}

  static void add(Script script, Entries entries) {
    if (!entries.intervals().isEmpty()) {
      intervals(script, entries.intervals());
    }
    if (!entries.pools().isEmpty()) {
      pools(script, lastOfEach(entries.pools(), step -> List.of(step.pool(), step.at())));
    }
    if (!entries.shortages().isEmpty()) {
      shortages(script, lastOfEach(entries.shortages(), step -> List.of(step.policy(), step.at())));
    }
    if (!entries.reservations().isEmpty()) {
      reservations(
          script, lastOfEach(entries.reservations(), step -> List.of(step.policy(), step.at())));
    }
    if (!entries.held().isEmpty()) {
      held(script, lastOfEach(entries.held(), HeldStep::job));
    }
    if (!entries.downIntervals().isEmpty()) {
      DownRows.intervals(script, entries.downIntervals());
    }
    if (!entries.down().isEmpty()) {
      DownRows.steps(script, lastOfEach(entries.down(), DownStep::node));
    }
  }

  /// No row is written twice by one statement.
  private static <T> List<T> lastOfEach(List<T> steps, Function<T, Object> key) {
    Map<Object, T> last = new LinkedHashMap<>();
    steps.forEach(step -> last.put(key.apply(step), step));
    return List.copyOf(last.values());
  }

  private static void intervals(Script script, List<UsageInterval> intervals) {
    script.add(
        INSERT_INTERVALS,
        holding(new Columns<>(intervals), UsageInterval::holding, UsageInterval::terms)
            .bigint(each -> each.holding().job().value())
            .integer(each -> each.holding().attempt())
            .time(UsageInterval::from)
            .time(UsageInterval::until)
            .bigint(each -> each.split().entitled())
            .bigint(each -> each.split().overReservation())
            .bigint(each -> each.split().aboveLimit())
            .bigint(UsageInterval::held)
            .bigint(each -> Columns.orNull(each.waited().map(Duration::toMillis)))
            .bool(each -> each.end().map(UsageInterval.End::preempted).orElse(false))
            .bigint(each -> each.end().map(UsageInterval.End::lost).orElse(0L))
            .bigint(each -> Columns.orNull(each.busy().map(UsageInterval.Busy::busyMillis)))
            .bigint(each -> Columns.orNull(each.busy().map(UsageInterval.Busy::measuredMillis))));
  }

  private static <T> Columns<T> holding(
      Columns<T> columns, Function<T, Holding> holding, Function<T, Terms> terms) {
    return columns
        .text(each -> holding.apply(each).policy().tenant().name())
        .list(each -> terms.apply(each).departments())
        .text(each -> holding.apply(each).policy().name())
        .text(each -> terms.apply(each).group().orElse(""))
        .text(each -> holding.apply(each).queue().name())
        .text(each -> holding.apply(each).profile().name())
        .text(each -> SharedNames.text(holding.apply(each).place().pool()))
        .text(each -> holding.apply(each).user().name())
        .text(each -> Columns.orNull(terms.apply(each).price().map(UsageRows::price)))
        .text(each -> terms.apply(each).price().map(Price::currency).orElse(""))
        .list(each -> slices(holding.apply(each)).stream().map(OnNode::node).toList())
        .list(each -> slices(holding.apply(each)).stream().map(one -> one.slice.device()).toList())
        .list(each -> slices(holding.apply(each)).stream().map(one -> one.slice.uuid()).toList())
        .list(each ->
            slices(holding.apply(each)).stream().map(one -> one.slice.quantity().units()).toList());
  }

  private static String price(Price price) {
    return price.perGpuHour().toPlainString();
  }

  private record OnNode(String node, Slice slice) {}

  private static List<OnNode> slices(Holding holding) {
    List<OnNode> all = new ArrayList<>();
    for (WorkerPlace place : holding.place().workers()) {
      place.slices().forEach(slice -> all.add(new OnNode(SharedNames.text(place.node()), slice)));
    }
    return all;
  }

  private static void pools(Script script, List<PoolStep> steps) {
    script.add(
        UPSERT_POOL_STEPS,
        new Columns<>(steps)
            .text(step -> step.pool().tenant().name())
            .text(step -> step.pool().name())
            .time(PoolStep::at)
            .bigint(step -> step.balance().capacity())
            .bigint(step -> step.balance().used().entitled())
            .bigint(step -> step.balance().used().overReservation())
            .bigint(step -> step.balance().used().aboveLimit())
            .bigint(step -> step.balance().held())
            .bigint(step -> step.balance().idle())
            .bigint(step -> step.balance().unusable())
            .bigint(step -> step.balance().down()));
  }

  private static void shortages(Script script, List<ShortageStep> steps) {
    script.add(
        UPSERT_SHORTAGE_STEPS,
        new Columns<>(steps)
            .text(step -> step.policy().tenant().name())
            .text(step -> step.policy().name())
            .time(ShortageStep::at)
            .bigint(ShortageStep::reservation)
            .bigint(ShortageStep::missing)
            .text(step -> step.reason().orElse("")));
  }

  private static void reservations(Script script, List<ReservationStep> steps) {
    script.add(
        UPSERT_RESERVATION_STEPS,
        new Columns<>(steps)
            .text(step -> step.policy().tenant().name())
            .text(step -> step.policy().name())
            .time(ReservationStep::at)
            .list(ReservationStep::departments)
            .bigint(ReservationStep::reservation)
            .bigint(ReservationStep::limit));
  }

  private static void held(Script script, List<HeldStep> steps) {
    script.add(DELETE_HELD, new Columns<>(steps).bigint(step -> step.job().value()));
    List<HeldStep> placed = steps.stream().filter(step -> step.held().isPresent()).toList();
    if (!placed.isEmpty()) {
      script.add(
          INSERT_HELD,
          holding(
                  new Columns<>(placed),
                  step -> step.held().orElseThrow().holding(),
                  step -> step.held().orElseThrow().terms())
              .bigint(step -> step.job().value())
              .time(HeldStep::at));
    }
  }

  static UsageTold read(DSLContext read) {
    return new UsageTold(
        read.fetch(LAST_POOL_STEPS).map(UsageRows::poolStep),
        read.fetch(LAST_SHORTAGE_STEPS).map(UsageRows::shortageStep),
        read.fetch(LAST_RESERVATION_STEPS).map(UsageRows::reservationStep),
        read.selectFrom(HELD_SLICES).orderBy(HELD_SLICES.JOB_ID).fetch(UsageRows::heldStep),
        DownRows.read(read));
  }

  private static PoolStep poolStep(Record row) {
    return new PoolStep(
        new PoolId(new TenantId(row.get("tenant", String.class)), row.get("pool", String.class)),
        row.get("at", OffsetDateTime.class).toInstant(),
        new PoolBalance(
            row.get("capacity", long.class),
            new Split(
                row.get("entitled", long.class),
                row.get("over_reservation", long.class),
                row.get("above_limit", long.class)),
            row.get("held", long.class),
            row.get("idle", long.class),
            row.get("unusable", long.class),
            row.get("down", long.class)));
  }

  private static ShortageStep shortageStep(Record row) {
    return new ShortageStep(
        new PolicyId(
            new TenantId(row.get("tenant", String.class)), row.get("policy", String.class)),
        row.get("at", OffsetDateTime.class).toInstant(),
        row.get("reservation", long.class),
        row.get("missing", long.class),
        Optional.of(row.get("reason", String.class)).filter(reason -> !reason.isEmpty()));
  }

  private static ReservationStep reservationStep(Record row) {
    return new ReservationStep(
        new PolicyId(
            new TenantId(row.get("tenant", String.class)), row.get("policy", String.class)),
        row.get("at", OffsetDateTime.class).toInstant(),
        List.of(row.get("departments", String[].class)),
        row.get("reservation", long.class),
        row.get("limit", long.class));
  }

  private static HeldStep heldStep(Record row) {
    TenantId tenant = new TenantId(row.get(HELD_SLICES.TENANT));
    JobId job = new JobId(row.get(HELD_SLICES.JOB_ID));
    return new HeldStep(
        job,
        row.get(HELD_SLICES.SINCE),
        Optional.of(
            new HeldStep.Held(
                new Holding(
                    job,
                    0,
                    new PolicyId(tenant, row.get(HELD_SLICES.POLICY)),
                    new QueueId(tenant, row.get(HELD_SLICES.QUEUE)),
                    new ProfileId(tenant, row.get(HELD_SLICES.PROFILE)),
                    new UserId(row.get(HELD_SLICES.USER_ID)),
                    new Assignment(
                        SharedNames.pool(tenant, row.get(HELD_SLICES.POOL)), places(tenant, row))),
                new Terms(
                    List.of(row.get(HELD_SLICES.DEPARTMENTS)),
                    Optional.of(row.get(HELD_SLICES.GROUP_NAME)).filter(name -> !name.isEmpty()),
                    price(row.get(HELD_SLICES.PRICE), row.get(HELD_SLICES.CURRENCY))))));
  }

  private static Optional<Price> price(@Nullable BigDecimal perGpuHour, String currency) {
    return Optional.ofNullable(perGpuHour).map(price -> new Price(price, currency));
  }

  private static List<WorkerPlace> places(TenantId tenant, Record row) {
    Map<NodeId, List<Slice>> byNode = new LinkedHashMap<>();
    String[] nodes = row.get(HELD_SLICES.NODES);
    for (int i = 0; i < nodes.length; i++) {
      byNode
          .computeIfAbsent(SharedNames.node(tenant, nodes[i]), _ -> new ArrayList<>())
          .add(
              new Slice(
                  Objects.requireNonNull(row.get(HELD_SLICES.DEVICES)[i]),
                  row.get(HELD_SLICES.DEVICE_UUIDS)[i],
                  new GpuQuantity(row.get(HELD_SLICES.DEVICE_UNITS)[i]),
                  0));
    }
    List<WorkerPlace> places = new ArrayList<>();
    byNode.forEach((node, slices) -> places.add(new WorkerPlace(node, slices, 0, 0)));
    return places;
  }
}
