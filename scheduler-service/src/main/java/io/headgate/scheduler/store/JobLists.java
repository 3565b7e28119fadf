package io.headgate.scheduler.store;

import static io.headgate.scheduler.store.jooq.Tables.JOB;
import static io.headgate.scheduler.store.jooq.Tables.JOB_COUNT;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.least;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.row;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.sum;

import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.runtime.record.JobReader.Filter;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.type.Viewer;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.SortField;
import org.jooq.impl.DSL;

/// Lists of jobs, at the cost of a page however many jobs there are. Jobs of one queue, policy,
/// user and state are a *kind*; how many each has is kept in `job_count`. A list of some kinds is
/// merged from the newest of each of them (index `job_by_kind`) unless they are so many that the
/// newest jobs of the tenant are searched sooner.
final class JobLists {
  private static final List<String> TERMINAL =
      Arrays.stream(JobState.values()).filter(JobState::isTerminal).map(Enum::name).toList();

  /// Rows of the index that a merge may read: some milliseconds.
  private static final long MERGED = 10_000;

  private JobLists() {}

  /// Jobs that the viewer sees.
  ///
  /// @param own jobs that the viewer owns, by `submitter`; or more, by `user_id` alone
  private static Condition seen(Viewer viewer, Field<String> policy, Condition own) {
    return viewer.seesAll()
        ? noCondition()
        : policy.eq(DSL.any(viewer.teams().toArray(new String[0]))).or(own);
  }

  /// Newest first.
  static List<JobRecord> page(
      DSLContext sql, TenantId tenant, Filter filter, OptionalLong before, int limit) {
    Condition older = before.isPresent() ? JOB.ID.lt(before.getAsLong()) : noCondition();
    return page(sql, tenant, filter, new Part(older, Field::desc, limit));
  }

  /// Oldest first.
  static List<JobRecord> oldest(
      DSLContext sql, TenantId tenant, Filter filter, long after, int limit) {
    return page(sql, tenant, filter, new Part(JOB.ID.gt(after), Field::asc, limit));
  }

  /// A part of a list.
  ///
  /// @param rest of the list that it begins
  /// @param order of the ids
  private record Part(Condition rest, Function<Field<Long>, SortField<Long>> order, int limit) {}

  private static List<JobRecord> page(DSLContext sql, TenantId tenant, Filter filter, Part part) {
    Condition meant =
        JOB.TENANT.eq(tenant.name()).and(Kind.OF_JOB.condition(filter)).and(part.rest());
    if (mayMerge(sql, tenant, filter, part.limit())) {
      var first =
          lateral(
                  select(JOB.ID)
                      .from(JOB)
                      .where(
                          JOB.TENANT.eq(JOB_COUNT.TENANT),
                          JOB.QUEUE.eq(JOB_COUNT.QUEUE),
                          JOB.POLICY.eq(JOB_COUNT.POLICY),
                          JOB.USER_ID.eq(JOB_COUNT.USER_ID),
                          JOB.STATE.eq(JOB_COUNT.STATE),
                          rest(filter),
                          part.rest())
                      .orderBy(part.order().apply(JOB.ID))
                      .limit(part.limit()))
              .as("first");
      Field<Long> id = first.field(JOB.ID);
      meant =
          JOB.ID.in(
              select(id)
                  .from(JOB_COUNT)
                  .crossJoin(first)
                  .where(present(tenant, filter))
                  .orderBy(part.order().apply(id))
                  .limit(part.limit()));
    } else {
      meant = meant.and(rest(filter));
    }
    return sql.selectFrom(JOB)
        .where(meant)
        .orderBy(part.order().apply(JOB.ID))
        .limit(part.limit())
        .fetch(RowMapper::job);
  }

  private static boolean mayMerge(DSLContext sql, TenantId tenant, Filter filter, int limit) {
    if (Kind.isAny(filter)) {
      return false;
    }
    BigDecimal rows =
        sql.select(coalesce(sum(least(JOB_COUNT.JOBS, inline((long) limit))), BigDecimal.ZERO))
            .from(JOB_COUNT)
            .where(present(tenant, filter))
            .fetchSingle()
            .value1();
    return rows.longValueExact() <= MERGED;
  }

  /// Kinds with jobs.
  private static Condition present(TenantId tenant, Filter filter) {
    return JOB_COUNT
        .TENANT
        .eq(tenant.name())
        .and(JOB_COUNT.FORGOTTEN.isFalse())
        .and(JOB_COUNT.JOBS.gt(0L))
        .and(Kind.OF_COUNT.condition(filter));
  }

  static Map<JobState, Long> counts(DSLContext sql, TenantId tenant, Filter filter) {
    if (!mayOwnElsewhere(sql, tenant, filter.viewer())) {
      return countsOfKinds(sql, tenant, filter);
    }
    Viewer viewer = filter.viewer();
    Filter ofTeams = filter.seenBy(Viewer.member("", viewer.teams(), viewer.led(), false));
    Map<JobState, Long> counts = countsOfKinds(sql, tenant, ofTeams);
    // Few, and an account of another kind may have the same id, so these are looked at.
    Condition elsewhere =
        row(JOB.TENANT, JOB.QUEUE, JOB.POLICY, JOB.USER_ID, JOB.STATE)
            .in(
                select(
                        JOB_COUNT.TENANT,
                        JOB_COUNT.QUEUE,
                        JOB_COUNT.POLICY,
                        JOB_COUNT.USER_ID,
                        JOB_COUNT.STATE)
                    .from(JOB_COUNT)
                    .where(ofIdElsewhere(tenant, viewer)));
    for (var row :
        sql.select(JOB.STATE, count())
            .from(JOB)
            .where(elsewhere, Kind.OF_JOB.condition(filter), rest(filter))
            .groupBy(JOB.STATE)
            .fetch()) {
      counts.merge(JobState.valueOf(row.value1()), (long) row.value2(), Long::sum);
    }
    return counts;
  }

  private static Map<JobState, Long> countsOfKinds(DSLContext sql, TenantId tenant, Filter filter) {
    Map<JobState, Long> counts = new EnumMap<>(JobState.class);
    boolean byKind = filter.createdAfter().isEmpty() && filter.labels().isEmpty();
    if (byKind) {
      Condition kinds = JOB_COUNT.TENANT.eq(tenant.name()).and(Kind.OF_COUNT.condition(filter));
      if (filter.activeOrFinishedAfter().isPresent()) {
        kinds = kinds.and(JOB_COUNT.STATE.notIn(TERMINAL));
      }
      for (var row :
          sql.select(JOB_COUNT.STATE, sum(JOB_COUNT.JOBS))
              .from(JOB_COUNT)
              .where(kinds)
              .groupBy(JOB_COUNT.STATE)
              .having(sum(JOB_COUNT.JOBS).gt(BigDecimal.ZERO))
              .fetch()) {
        counts.put(JobState.valueOf(row.value1()), row.value2().longValueExact());
      }
    }
    if (!byKind || filter.activeOrFinishedAfter().isPresent()) {
      // These have to be looked at: what ended since then, or all that match.
      Condition ended =
          JOB.STATE
              .in(TERMINAL)
              .and(JOB.FINISHED_AT.ge(filter.activeOrFinishedAfter().orElse(null)));
      Condition looked =
          JOB.TENANT
              .eq(tenant.name())
              .and(Kind.OF_JOB.condition(filter))
              .and(byKind ? ended : rest(filter));
      for (var row :
          sql.select(JOB.STATE, count()).from(JOB).where(looked).groupBy(JOB.STATE).fetch()) {
        counts.put(JobState.valueOf(row.value1()), (long) row.value2());
      }
    }
    return counts;
  }

  /// Whether the viewer may own jobs of policies that are not its teams. A member has them when it
  /// was an admin, or in another group, and they are few. An account of another kind may have its
  /// id, so this is not certain.
  static boolean mayOwnElsewhere(DSLContext sql, TenantId tenant, Viewer viewer) {
    return !viewer.seesAll()
        && sql.fetchExists(selectOne().from(JOB_COUNT).where(ofIdElsewhere(tenant, viewer)));
  }

  private static Condition ofIdElsewhere(TenantId tenant, Viewer viewer) {
    return JOB_COUNT
        .TENANT
        .eq(tenant.name())
        .and(JOB_COUNT.USER_ID.eq(viewer.id()))
        .and(JOB_COUNT.POLICY.ne(DSL.all(viewer.teams().toArray(new String[0]))))
        .and(JOB_COUNT.FORGOTTEN.isFalse())
        .and(JOB_COUNT.JOBS.gt(0L));
  }

  /// The part of a filter that says which kinds.
  private record Kind(
      Field<String> queue, Field<String> policy, Field<String> user, Field<String> state) {
    static final Kind OF_JOB = new Kind(JOB.QUEUE, JOB.POLICY, JOB.USER_ID, JOB.STATE);
    static final Kind OF_COUNT =
        new Kind(JOB_COUNT.QUEUE, JOB_COUNT.POLICY, JOB_COUNT.USER_ID, JOB_COUNT.STATE);

    static boolean isAny(Filter filter) {
      return filter.queues().isEmpty()
          && filter.policies().isEmpty()
          && filter.users().isEmpty()
          && filter.states().isEmpty()
          && filter.viewer().seesAll();
    }

    Condition condition(Filter filter) {
      return among(queue, filter.queues())
          .and(among(policy, filter.policies()))
          .and(among(user, filter.users()))
          .and(among(state, filter.states().stream().map(Enum::name).toList()))
          .and(seen(filter.viewer(), policy, user.eq(filter.viewer().id())));
    }

    private static Condition among(Field<String> field, List<String> values) {
      return values.isEmpty() ? noCondition() : field.in(values);
    }
  }

  /// The filter's conditions on submitter, creation time and labels, tested on each job.
  private static Condition rest(Filter filter) {
    Viewer viewer = filter.viewer();
    Condition condition = seen(viewer, JOB.POLICY, JOB.SUBMITTER.eq(viewer.subject()));
    if (filter.createdAfter().isPresent()) {
      condition = condition.and(JOB.CREATED_AT.ge(filter.createdAfter().get()));
    }
    if (!filter.labels().isEmpty()) {
      condition =
          condition
              .and(JOB.LABELS.contains(filter.labels().toArray(new String[0])))
              // Else the index, which has only those with labels, would not be used.
              .and(DSL.condition("{0} <> '{}'", JOB.LABELS));
    }
    if (filter.activeOrFinishedAfter().isPresent()) {
      condition =
          condition.and(
              JOB.STATE
                  .notIn(TERMINAL)
                  .or(JOB.FINISHED_AT.ge(filter.activeOrFinishedAfter().get())));
    }
    return condition;
  }
}
