package io.headgate.scheduler.store;

import static io.headgate.scheduler.store.jooq.Tables.PAST_USE;

import io.headgate.scheduler.core.catalog.DepartmentId;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.PastUse;
import io.headgate.scheduler.core.job.PastUse.Level;
import java.util.List;
import org.jooq.DSLContext;

/// The past use of levels of rights (O4). An average keeps all its bits, so that a new leader
/// decides as the old one.
final class PastUseRows {
  private static final String UPSERT =
      """
      insert into past_use (tenant, pool, level, name, average, present, at)
      select a, b, c, d, e::double precision, f, g
      from unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[],
        ?::timestamptz[]) as rows (a, b, c, d, e, f, g)
      on conflict (tenant, pool, level, name) do update set average = excluded.average,
        present = excluded.present, at = excluded.at\
      """;

  private static final String FORGET = "delete from past_use where average = 0 and present = 0";

  private PastUseRows() {}

  static void add(Script script, List<PastUse> changes) {
    if (changes.isEmpty()) {
      return;
    }
    script.add(
        UPSERT,
        new Columns<>(changes)
            .text(past -> tenant(past.level()).name())
            .text(past -> SharedNames.text(past.pool()))
            .text(past -> kind(past.level()))
            .text(past -> name(past.level()))
            .text(past -> Double.toString(past.average()))
            .bigint(PastUse::present)
            .time(PastUse::at));
    if (changes.stream().anyMatch(PastUse::isNothing)) {
      script.add(FORGET);
    }
  }

  private static TenantId tenant(Level level) {
    return switch (level) {
      case Level.OfTenant(var tenant) -> tenant;
      case Level.OfDepartment(var department) -> department.tenant();
      case Level.OfPolicy(var policy) -> policy.tenant();
    };
  }

  private static String kind(Level level) {
    return switch (level) {
      case Level.OfTenant _ -> "TENANT";
      case Level.OfDepartment _ -> "DEPARTMENT";
      case Level.OfPolicy _ -> "POLICY";
    };
  }

  private static String name(Level level) {
    return switch (level) {
      case Level.OfTenant _ -> "";
      case Level.OfDepartment(var department) -> department.name();
      case Level.OfPolicy(var policy) -> policy.name();
    };
  }

  static List<PastUse> read(DSLContext read) {
    return read.selectFrom(PAST_USE)
        .orderBy(PAST_USE.TENANT, PAST_USE.POOL, PAST_USE.LEVEL, PAST_USE.NAME)
        .fetch(row -> {
          TenantId tenant = new TenantId(row.get(PAST_USE.TENANT));
          return new PastUse(
              SharedNames.pool(tenant, row.get(PAST_USE.POOL)),
              level(row.get(PAST_USE.LEVEL), tenant, row.get(PAST_USE.NAME)),
              row.get(PAST_USE.AVERAGE),
              row.get(PAST_USE.PRESENT),
              row.get(PAST_USE.AT));
        });
  }

  private static Level level(String kind, TenantId tenant, String name) {
    return switch (kind) {
      case "TENANT" -> new Level.OfTenant(tenant);
      case "DEPARTMENT" -> new Level.OfDepartment(new DepartmentId(tenant, name));
      default -> new Level.OfPolicy(new PolicyId(tenant, name));
    };
  }
}
