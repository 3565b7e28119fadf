package io.headgate.policy.runtime;

import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.port.ChangeDecision;
import io.headgate.policy.runtime.port.SupplyChanges;
import io.headgate.policy.runtime.port.SupplyChanges.Pending;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes pool-service carry out what was decided on changes of supply and rights. A process that
/// died in between is made up for within seconds: decisions are told until they are carried out,
/// and a prepared change without a decision is abandoned after [#PATIENCE]. Thread-safe.
public final class ChangeSettlement implements AutoCloseable {
  /// The time in which a prepared change must be decided; a client needs milliseconds.
  static final Duration PATIENCE = Duration.ofSeconds(15);

  private static final Logger LOG = LoggerFactory.getLogger(ChangeSettlement.class);
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final int ROUNDS_PER_LOOK = 5;
  private static final Duration STOP_BOUND = Duration.ofSeconds(5);

  /// Longer than any late request for an abandoned change is on its way.
  private static final Duration KEPT = Duration.ofDays(1);

  private final Changes changes;
  private final SupplyChanges supply;
  private final ChangeFailpoint.Handler failpoints;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread = Thread.ofVirtual().name("changes").unstarted(this::run);
  private boolean failing;

  public ChangeSettlement(
      Changes changes, SupplyChanges supply, ChangeFailpoint.Handler failpoints) {
    this.changes = changes;
    this.supply = supply;
    this.failpoints = failpoints;
  }

  public void start() {
    thread.start();
  }

  /// Tells pool-service of a decision just made. If pool-service does not answer, it is told again
  /// later: the decision stands.
  void settle(ChangeDecision decision) {
    failpoints.at(ChangeFailpoint.AFTER_COMMIT);
    tell(decision);
    failpoints.at(ChangeFailpoint.BEFORE_ANSWER);
  }

  /// Ends a prepared change, unless it was committed before.
  void abandon(TenantId tenant, String change) {
    tell(decideToAbandon(tenant, change));
  }

  private void tell(ChangeDecision decision) {
    try {
      carryOut(decision);
    } catch (RuntimeException e) {
      LOG.warn(
          "pool-service has not heard yet that change {} of {} is decided; it is told again: {}",
          decision.change(),
          decision.tenant(),
          e.toString());
    }
  }

  private void carryOut(ChangeDecision decision) {
    supply.settle(decision);
    failpoints.at(ChangeFailpoint.AFTER_SETTLEMENT);
    changes.change(tables -> {
      tables.changes().settled(decision);
      return decision;
    });
  }

  private void run() {
    try {
      int round = 0;
      do {
        round(round++ % ROUNDS_PER_LOOK == 0);
      } while (!closing.await(INTERVAL.toMillis(), TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void round(boolean looksForUndecided) {
    try {
      for (ChangeDecision decision : changes.read(tables -> tables.changes().unsettled())) {
        failpoints.at(ChangeFailpoint.AFTER_COMMIT);
        carryOut(decision);
      }
      if (looksForUndecided) {
        for (Pending pending : supply.pending()) {
          if (pending.preparedAt().plus(PATIENCE).isBefore(changes.now())) {
            carryOut(abandon(pending));
          }
        }
      }
      failing = false;
    } catch (RuntimeException e) {
      if (!failing && closing.getCount() > 0) {
        failing = true;
        LOG.warn(
            "changes of supply and rights cannot be settled; trying again every second: {}",
            e.toString());
      }
    }
  }

  /// The decision on a change whose client has gone.
  private ChangeDecision abandon(Pending pending) {
    ChangeDecision decision = decideToAbandon(pending.tenant(), pending.change());
    if (!decision.isCommitted()) {
      LOG.warn(
          "change {} of {} was prepared at {} and never decided: it is abandoned",
          pending.change(),
          pending.tenant(),
          pending.preparedAt());
    }
    return decision;
  }

  /// Abandoned, unless it was decided before.
  private ChangeDecision decideToAbandon(TenantId tenant, String change) {
    return changes.change(tables -> {
      // The lock of every change within the tenant, so that this one is not committed meanwhile.
      tables.tenants().lock(tenant);
      tables.changes().forget(changes.now().minus(KEPT));
      tables.changes().decide(ChangeDecision.abandoned(tenant, change, changes.now()));
      return tables.changes().find(tenant, change).orElseThrow();
    });
  }

  @Override
  public void close() {
    closing.countDown();
    if (thread.getState() == Thread.State.NEW) {
      return;
    }
    thread.interrupt();
    try {
      thread.join(STOP_BOUND);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
