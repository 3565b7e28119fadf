package io.headgate.scheduler.core.ledger;

import io.headgate.scheduler.core.catalog.PolicyId;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// Follows the rights of policies.
final class ReservationLedger {
  private final Books books;
  private final Map<PolicyId, ReservationStep> told = new TreeMap<>();
  private boolean isFirst = true;

  ReservationLedger(Books books) {
    this.books = books;
  }

  void restore(ReservationStep step) {
    if (step.limit() > 0) {
      told.put(step.policy(), step);
    }
  }

  void settle(Instant now, boolean reconfigured, Entries entries) {
    if (!reconfigured && !isFirst) {
      return;
    }
    isFirst = false;
    Set<PolicyId> policies = new LinkedHashSet<>(books.policies());
    // Without reservation and limit it has no more rights than one that is gone.
    policies.removeIf(policy -> books.rights(policy).limit() == 0);
    for (PolicyId policy : List.copyOf(told.keySet())) {
      if (!policies.contains(policy)) {
        told.remove(policy);
        entries.reservations().add(new ReservationStep(policy, now, List.of(), 0, 0));
      }
    }
    for (PolicyId policy : policies) {
      Books.Rights rights = books.rights(policy);
      ReservationStep step =
          new ReservationStep(
              policy, now, rights.departments(), rights.reservation(), rights.limit());
      ReservationStep before = told.get(policy);
      if (before == null
          || before.reservation() != step.reservation()
          || before.limit() != step.limit()
          || !before.departments().equals(step.departments())) {
        told.put(policy, step);
        entries.reservations().add(step);
      }
    }
  }
}
