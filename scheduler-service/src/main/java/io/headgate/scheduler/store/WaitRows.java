package io.headgate.scheduler.store;

import static io.headgate.scheduler.store.jooq.Tables.WAIT_HISTORY;

import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.record.WaitHistory;
import io.headgate.scheduler.runtime.record.WaitHistory.Since;
import java.util.Arrays;
import java.util.List;
import org.jooq.DSLContext;

/// The reasons that lanes and jobs have waited for.
final class WaitRows {
  private static final String UPSERT =
      """
      insert into wait_history (tenant, subject, reasons)
      select a, b, c::text[] from unnest(?::text[], ?::text[], ?::text[]) as rows (a, b, c)
      on conflict (tenant, subject) do update set reasons = excluded.reasons\
      """;

  private static final String DELETE =
      """
      delete from wait_history using unnest(?::text[], ?::text[]) as rows (a, b)
      where tenant = a and subject = b\
      """;

  private WaitRows() {}

  static void add(Script script, List<WaitHistory> waits) {
    List<WaitHistory> kept = waits.stream().filter(each -> !each.reasons().isEmpty()).toList();
    List<WaitHistory> gone = waits.stream().filter(each -> each.reasons().isEmpty()).toList();
    if (!kept.isEmpty()) {
      script.add(
          UPSERT, keys(kept).list(each -> each.reasons().stream().map(Since::text).toList()));
    }
    if (!gone.isEmpty()) {
      script.add(DELETE, keys(gone));
    }
  }

  private static Columns<WaitHistory> keys(List<WaitHistory> waits) {
    return new Columns<>(waits).text(each -> each.tenant().name()).text(WaitHistory::subject);
  }

  static List<WaitHistory> read(DSLContext read) {
    return read.selectFrom(WAIT_HISTORY)
        .orderBy(WAIT_HISTORY.TENANT, WAIT_HISTORY.SUBJECT)
        .fetch(row ->
            new WaitHistory(
                new TenantId(row.get(WAIT_HISTORY.TENANT)),
                row.get(WAIT_HISTORY.SUBJECT),
                Arrays.stream(row.get(WAIT_HISTORY.REASONS)).map(Since::parse).toList()));
  }
}
