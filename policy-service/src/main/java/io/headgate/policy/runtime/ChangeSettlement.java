package io.headgate.policy.runtime;

import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.port.ChangeDecision;
import io.headgate.policy.runtime.port.SupplyChanges;
import io.headgate.policy.runtime.port.SupplyChanges.Pending;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes pool-service carry out the decisions on changes of supply and rights. A process that died
/// in between is made up for within seconds. Decisions are told until pool-service has carried them
/// out. A prepared change without a decision is abandoned [#PATIENCE] after this process first saw
/// it. No other machine's clock counts. Thread-safe.
public final class ChangeSettlement implements AutoCloseable {
  /// The time in which a prepared change must be decided; a client needs milliseconds.
  static final Duration PATIENCE = Duration.ofSeconds(15);

  private static final Logger LOG = LoggerFactory.getLogger(ChangeSettlement.class);
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final int ROUNDS_PER_LOOK = 2;

  /// A caller waits through this many attempts. A pool-service that has just started takes the
  /// second or third; one that is away answers none.
  private static final int ATTEMPTS_FOR_A_CALLER = 4;

  private static final Duration BETWEEN_ATTEMPTS = Duration.ofMillis(500);
  private static final Duration STOP_BOUND = Duration.ofSeconds(5);

  /// Longer than any late request for an abandoned change is on its way.
  private static final Duration KEPT = Duration.ofHours(1);

  private static final int FORGOTTEN_AT_ONCE = 1000;

  private final Changes changes;
  private final SupplyChanges supply;
  private final ChangeFailpoint.Handler failpoints;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread = Thread.ofVirtual().name("changes").unstarted(this::run);

  /// When each prepared change was first seen, in monotonic time. Only the thread uses it.
  private Map<Pending, Long> firstSeen = Map.of();

  /// Whether a step of this round failed, and whether one of the round before did.
  private boolean fails;

  private boolean failedBefore;

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

  /// Tells pool-service now what was decided on changes of the tenant, a few times if it does not
  /// answer.
  void settle(TenantId tenant) {
    List<ChangeDecision> left = unsettled(tenant);
    for (int i = 1; i < ATTEMPTS_FOR_A_CALLER && !left.isEmpty(); i++) {
      left.forEach(this::tell);
      left = unsettled(tenant);
      if (!left.isEmpty() && isClosed(BETWEEN_ATTEMPTS)) {
        return;
      }
    }
    left.forEach(this::tell);
  }

  private List<ChangeDecision> unsettled(TenantId tenant) {
    return changes.read(tables -> tables.changes().unsettled(tenant));
  }

  private boolean isClosed(Duration within) {
    try {
      return closing.await(within.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
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

  private void round(boolean isLook) {
    fails = false;
    attempt(() ->
        changes
            .read(tables -> tables.changes().unsettled())
            .forEach(decision -> attempt(() -> carryOutLater(decision))));
    if (isLook) {
      attempt(this::abandonForgotten);
      attempt(this::forgetOld);
    }
    failedBefore = fails;
  }

  private void carryOutLater(ChangeDecision decision) {
    failpoints.at(ChangeFailpoint.AFTER_COMMIT);
    carryOut(decision);
  }

  private void abandonForgotten() {
    long now = changes.monotonicNanos();
    Map<Pending, Long> seen = new HashMap<>();
    supply.pending().forEach(pending -> seen.put(pending, firstSeen.getOrDefault(pending, now)));
    firstSeen = seen;
    seen.forEach((pending, since) -> {
      if (now - since >= PATIENCE.toNanos()) {
        attempt(() -> carryOut(abandon(pending)));
      }
    });
  }

  private void forgetOld() {
    Instant before = changes.now().minus(KEPT);
    changes.change(tables -> {
      tables.changes().forget(before, FORGOTTEN_AT_ONCE);
      return before;
    });
  }

  /// One step of a round. Its failure holds up no other step, and ends no later round.
  private void attempt(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      if (!fails && !failedBefore && closing.getCount() > 0) {
        LOG.warn(
            "changes of supply and rights cannot be settled; trying again every second: {}",
            e.toString());
      }
      fails = true;
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
