package io.headgate.scheduler.store;

import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.ledger.Ledger;
import io.headgate.scheduler.runtime.record.IntervalReader;
import io.headgate.scheduler.runtime.record.IntervalReader.Asked;
import io.headgate.scheduler.runtime.record.IntervalReader.Position;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Queries over single intervals of the ledger. Their texts are made of constants; values are
/// bound.
final class IntervalSql {
  /// As [io.headgate.type.Viewer] says of the job. The rights of a job that is not stored any more
  /// follow from the policy that it counted on.
  private static final String SEEN =
      """
      (exists (select from job where job.id = job_id
          and (job.submitter = ? or job.policy = any (?::text[])))
        or policy = any (?::text[]) and not exists (select from job where job.id = job_id))\
      """;

  private static final String SLICES =
      """
      with page as (
        select since, until, tenant, job_id, attempt, pool, policy, queue, profile, user_id,
          entitled, over_reservation, above_limit, preempted, device_units, slice.*
        from usage_interval cross join lateral
          unnest(nodes, devices, device_uuids, device_units)
            with ordinality as slice (node, device, uuid, units, number)
        where\
      """;

  private static final String WITH_JOBS =
      """
       order by since, job_id, attempt, number limit ?)
      select page.*, job.name as job_name, job.submitter, job.policy as job_policy,
        (select coalesce(sum(each), 0)::bigint from unnest(device_units[1 : number - 1]) as each)
          as units_before
      from page left join job on job.id = page.job_id\
      """;

  private final StringBuilder text = new StringBuilder();
  private final List<Object> binds = new ArrayList<>();

  String text() {
    return text.toString();
  }

  Object[] binds() {
    return binds.toArray();
  }

  /// The first intervals that ended and began in a window of time.
  static IntervalSql ended(
      Asked asked, Instant begin, Instant end, Optional<Position> after, int limit) {
    IntervalSql sql = new IntervalSql();
    Instant before = end.isBefore(asked.until()) ? end : asked.until();
    Instant latest = before.plus(Ledger.LONGEST);
    // The index is by end: intervals end after the window begins, and at most six hours after it
    // ends.
    Instant endsAfter = begin.isAfter(asked.from()) ? begin : asked.from();
    sql.add(
        SLICES + " until > ?::timestamptz and until <= ?::timestamptz",
        endsAfter.toString(),
        (latest.isBefore(asked.asOf()) ? latest : asked.asOf()).toString());
    sql.add(
        " and since >= ?::timestamptz and since < ?::timestamptz",
        begin.toString(),
        before.toString());
    after.ifPresent(last ->
        sql.add(
            " and (since, job_id, attempt, number) > (?::timestamptz, ?, ?, ?)",
            last.since().toString(),
            last.job(),
            last.attempt(),
            last.slice()));
    sql.matches(asked);
    sql.add(WITH_JOBS, limit);
    return sql;
  }

  private void matches(Asked asked) {
    if (asked.isOfSharedPools()) {
      add(" and pool like ?", IntervalReader.SHARED + "%");
    } else {
      add(" and tenant = ?", asked.tenant().name());
    }
    boolean seesAll = asked.viewer().seesAll();
    if (!seesAll) {
      // Nodes of shared pools are not for members.
      add(" and (pool not like ? or ", IntervalReader.SHARED + "%");
      seen(asked);
      add(")");
    }
    var filter = asked.filter();
    if (!filter.policies().isEmpty()) {
      any("policy", filter.policies());
      if (!seesAll) {
        add(" and ");
        seen(asked);
      }
    }
    if (!filter.pools().isEmpty()) {
      any("pool", filter.pools().stream().map(asked::stored).toList());
    }
    if (!filter.nodes().isEmpty()) {
      List<String> nodes = filter.nodes().stream().map(asked::stored).toList();
      // Before the slices are told apart, which costs more.
      add(" and nodes && ?::text[]", (Object) nodes.toArray(new String[0]));
      any("node", nodes);
    }
    if (!filter.jobs().isEmpty()) {
      add(
          " and job_id = any (?::bigint[])",
          (Object) filter.jobs().stream().map(JobId::value).toArray(Long[]::new));
    }
  }

  private void seen(Asked asked) {
    String[] teams = asked.viewer().teams().toArray(new String[0]);
    add(SEEN, asked.viewer().subject(), teams, teams);
  }

  private void any(String column, List<String> values) {
    add(" and " + column + " = any (?::text[])", (Object) values.toArray(new String[0]));
  }

  private void add(String part, Object... values) {
    text.append(part);
    binds.addAll(List.of(values));
  }
}
