package io.headgate.scheduler.store;

import static io.headgate.scheduler.store.jooq.Tables.BUDGET_STATE;

import io.headgate.scheduler.core.catalog.SpentBudget.Level;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.record.Budget;
import io.headgate.scheduler.runtime.record.BudgetRecord;
import io.headgate.scheduler.runtime.record.BudgetUse;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import org.jooq.DSLContext;

/// The budgets that have warned or are spent.
final class BudgetRows {
  private static final String UPSERT =
      """
      insert into budget_state (tenant, level, name, currency, period_start, period_end, used, state, counted_at)
      select a, b, c, d, e, f, g::numeric, h, i
      from unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::timestamptz[], ?::timestamptz[], ?::text[],
        ?::text[], ?::timestamptz[]) as rows (a, b, c, d, e, f, g, h, i)
      on conflict (tenant, level, name) do update set currency = excluded.currency,
        period_start = excluded.period_start, period_end = excluded.period_end, used = excluded.used,
        state = excluded.state, counted_at = excluded.counted_at\
      """;

  private static final String FORGET = "delete from budget_state where state = 'OK'";

  private BudgetRows() {}

  static void add(Script script, List<BudgetRecord> changes) {
    if (changes.isEmpty()) {
      return;
    }
    script.add(
        UPSERT,
        new Columns<>(changes)
            .text(each -> each.use().key().tenant().name())
            .text(each -> each.use().key().level().name())
            .text(each -> each.use().key().name())
            .text(each -> each.use().currency().orElse(""))
            .time(each -> each.use().start())
            .time(each -> each.use().end())
            .text(each -> each.use().used().toPlainString())
            .text(each -> each.state().name())
            .time(each -> each.use().countedAt()));
    if (changes.stream().anyMatch(each -> each.state() == Budget.State.OK)) {
      script.add(FORGET);
    }
  }

  static List<BudgetRecord> read(DSLContext read) {
    return read.selectFrom(BUDGET_STATE)
        .orderBy(BUDGET_STATE.TENANT, BUDGET_STATE.LEVEL, BUDGET_STATE.NAME)
        .fetch(row -> {
          String currency = row.get(BUDGET_STATE.CURRENCY);
          BigDecimal used = row.get(BUDGET_STATE.USED);
          return new BudgetRecord(
              new BudgetUse(
                  new Budget.Key(
                      new TenantId(row.get(BUDGET_STATE.TENANT)),
                      Level.valueOf(row.get(BUDGET_STATE.LEVEL)),
                      row.get(BUDGET_STATE.NAME)),
                  currency.isEmpty() ? Optional.empty() : Optional.of(currency),
                  row.get(BUDGET_STATE.PERIOD_START),
                  row.get(BUDGET_STATE.PERIOD_END),
                  used,
                  row.get(BUDGET_STATE.COUNTED_AT)),
              Budget.State.valueOf(row.get(BUDGET_STATE.STATE)));
        });
  }
}
