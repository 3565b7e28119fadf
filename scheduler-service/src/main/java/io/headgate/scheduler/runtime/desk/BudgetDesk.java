package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.catalog.SpentBudget.Level;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.catalog.Budgets;
import io.headgate.scheduler.runtime.catalog.Budgets.Restriction;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.Budget;
import io.headgate.scheduler.runtime.record.Budget.State;
import io.headgate.scheduler.runtime.record.Budget.WhenSpent;
import io.headgate.scheduler.runtime.record.BudgetRecord;
import io.headgate.scheduler.runtime.record.BudgetUse;
import io.headgate.scheduler.runtime.record.Event;
import io.headgate.scheduler.runtime.record.EventType;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.LoadedState;
import io.headgate.scheduler.runtime.text.BudgetText;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/// Restricts policies whose budgets are spent, and tells of budgets that warn. Counting is the work
/// of others. Confined to the loop.
public final class BudgetDesk {
  private final LeaderState state;

  /// The last count of each budget.
  private final SortedMap<Budget.Key, BudgetUse> uses = new TreeMap<>();

  /// The budgets that were told to warn or to be spent, and when that was.
  private final Map<Budget.Key, BudgetRecord> told = new TreeMap<>();

  /// The restrictions that the core knows, by tenant and name of the policy.
  private final Map<TenantId, Map<String, Restriction>> inForce = new TreeMap<>();

  /// @param state with the catalogs, which know what was told
  BudgetDesk(LeaderState state, LoadedState loaded) {
    this.state = state;
    for (BudgetRecord record : loaded.budgets()) {
      uses.put(record.use().key(), record.use());
      told.put(record.use().key(), record);
    }
    for (TenantId tenant : state.catalog.tenantsWithBudgets()) {
      inForce.put(tenant, state.catalog.restrictions(tenant));
    }
  }

  /// The counts of earlier leaders.
  static Budgets told(LoadedState loaded) {
    return Budgets.of(loaded.budgets().stream().map(BudgetRecord::use).toList());
  }

  /// Takes a count. Where no count came for a new period, the one of the former says nothing any
  /// more.
  public void counted(LoopTurn turn, List<BudgetUse> counts) {
    Set<TenantId> tenants = new HashSet<>();
    for (BudgetUse use : List.copyOf(uses.values())) {
      if (!use.end().isAfter(turn.now())) {
        uses.remove(use.key());
        tenants.add(use.key().tenant());
      }
    }
    for (BudgetUse count : counts) {
      uses.put(count.key(), count);
      tenants.add(count.key().tenant());
    }
    Budgets budgets = Budgets.of(uses.values());
    state.catalogs.counted(budgets);
    state.catalog = state.catalog.counted(budgets);
    for (TenantId tenant : tenants) {
      if (settle(turn, tenant)) {
        turn.inputs.add(new Input.CatalogChanged(state.catalogs.merged(tenant)));
        stop(turn, tenant);
      }
    }
  }

  /// Follows catalogs that the core is told of in this turn. The last counts are stored with them:
  /// a new leader judges a changed budget by the same count.
  void moved(LoopTurn turn, Collection<TenantId> tenants) {
    for (BudgetRecord record : List.copyOf(told.values())) {
      BudgetUse use = uses.get(record.use().key());
      if (tenants.contains(record.use().key().tenant()) && use != null) {
        BudgetRecord now = new BudgetRecord(use, record.state());
        told.put(use.key(), now);
        turn.budgets.put(now.use().key(), now);
      }
    }
    for (TenantId tenant : tenants) {
      if (settle(turn, tenant)) {
        stop(turn, tenant);
      }
    }
  }

  /// Tells of states that are others now.
  ///
  /// @return whether the restrictions are others
  private boolean settle(LoopTurn turn, TenantId tenant) {
    Set<Budget.Key> configured = new HashSet<>();
    for (Budget budget : state.catalog.budgets(tenant)) {
      configured.add(budget.key());
      state.catalog.budgets().use(budget).ifPresent(use -> settle(turn, budget, use));
    }
    for (BudgetRecord record : List.copyOf(told.values())) {
      Budget.Key key = record.use().key();
      if (key.tenant().equals(tenant) && !configured.contains(key)) {
        // An admin removed it: no event.
        told.remove(key);
        turn.budgets.put(key, new BudgetRecord(record.use(), State.OK));
      }
    }
    uses.keySet().removeIf(key -> key.tenant().equals(tenant) && !configured.contains(key));
    Map<String, Restriction> now = state.catalog.restrictions(tenant);
    return !now.equals(inForce.getOrDefault(tenant, Map.of()));
  }

  private void settle(LoopTurn turn, Budget budget, BudgetUse use) {
    BudgetRecord before = told.get(budget.key());
    State known = before == null ? State.OK : before.state();
    State now = budget.state(use.used());
    boolean isNewPeriod = before != null && !before.use().start().equals(use.start());
    if (now == known && (now == State.OK || !isNewPeriod)) {
      return;
    }
    BudgetRecord record = new BudgetRecord(use, now);
    if (now == State.OK) {
      told.remove(budget.key());
    } else {
      told.put(budget.key(), record);
    }
    turn.budgets.put(budget.key(), record);
    turn.note(
        new Event(EventType.BUDGET, budget.key().tenant())
            .queue("", budget.key().level() == Level.POLICY ? budget.key().name() : "")
            .message(BudgetText.sentence(budget, use))
            .detail(BudgetText.detail(budget, use)));
  }

  /// Stops what runs of policies whose jobs must not go on any more, and knows the restrictions.
  private void stop(LoopTurn turn, TenantId tenant) {
    Map<String, Restriction> before = Optional.ofNullable(inForce.get(tenant)).orElse(Map.of());
    Map<String, Restriction> now = state.catalog.restrictions(tenant);
    if (now.isEmpty()) {
      inForce.remove(tenant);
    } else {
      inForce.put(tenant, now);
    }
    Map<String, Restriction> stopping = new TreeMap<>(now);
    stopping
        .keySet()
        .removeIf(
            policy -> stopping(now, policy).isEmpty() || stopping(before, policy).isPresent());
    if (stopping.isEmpty()) {
      // Jobs may be a million.
      return;
    }
    for (JobRecord job : state.jobs.jobs()) {
      Optional<AttemptRecord> attempt =
          job.tenant().equals(tenant) ? state.jobs.attempt(job.id()) : Optional.empty();
      if (attempt.isPresent() && attempt.get().attempt().stop().isEmpty()) {
        Optional.ofNullable(stopping.get(attempt.get().attempt().policy().name()))
            .ifPresent(restriction -> {
              turn.requeueCauses.put(
                  job.id(), ": the budget of " + restriction.spent().subject() + " is spent");
              turn.inputs.add(new Input.JobRequeued(job.job()));
            });
      }
    }
  }

  private static Optional<Restriction> stopping(Map<String, Restriction> all, String policy) {
    return Optional.ofNullable(all.get(policy))
        .filter(restriction -> restriction.budget().whenSpent() == WhenSpent.STOP);
  }
}
