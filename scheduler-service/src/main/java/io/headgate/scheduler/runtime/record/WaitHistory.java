package io.headgate.scheduler.runtime.record;

import io.headgate.scheduler.core.catalog.TenantId;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/// Why the jobs of a lane, or one job with reasons of its own, have waited lately. One row for each
/// lane: a changed reason of a lane with a million jobs writes one row.
///
/// @param subject a lane or a job of the tenant, as its writer names it
/// @param reasons in the order of time; none: the row is deleted
public record WaitHistory(TenantId tenant, String subject, List<Since> reasons) {
  private static final String SEPARATOR = "\t";

  /// More changes than this are summed up as [#SEVERAL].
  public static final int MOST = 32;

  /// Stands for the reasons between the first and the newest ones.
  public static final String SEVERAL = "SEVERAL";

  public WaitHistory {
    reasons = List.copyOf(reasons);
  }

  /// A reason that began to hold.
  ///
  /// @param reason its code; empty: none
  /// @param rule that it comes from; empty: none
  public record Since(Instant at, String reason, String rule) {
    public String text() {
      return String.join(
          SEPARATOR, "" + ChronoUnit.MICROS.between(Instant.EPOCH, at), reason, rule);
    }

    /// Reads what [#text] wrote.
    public static Since parse(String text) {
      String[] parts = text.split(SEPARATOR, -1);
      return new Since(
          Instant.EPOCH.plus(Long.parseLong(parts[0]), ChronoUnit.MICROS), parts[1], parts[2]);
    }

    boolean isSame(Since other) {
      return reason.equals(other.reason) && rule.equals(other.rule);
    }
  }

  /// With one more reason. One that already holds changes nothing.
  public WaitHistory with(Since next) {
    if (!reasons.isEmpty() && reasons.getLast().isSame(next)) {
      return this;
    }
    List<Since> all = new ArrayList<>(reasons);
    // The clock of a new leader may lag behind the clock of its predecessor.
    boolean isLate = !all.isEmpty() && next.at().isBefore(all.getLast().at());
    all.add(isLate ? new Since(all.getLast().at(), next.reason(), next.rule()) : next);
    if (all.size() > MOST) {
      // The first one says where the wait of a job begins that came back without a run.
      all.remove(2);
      all.set(1, new Since(all.get(1).at(), SEVERAL, ""));
    }
    return new WaitHistory(tenant, subject, all);
  }

  /// Nothing is known any more.
  public WaitHistory cleared() {
    return new WaitHistory(tenant, subject, List.of());
  }
}
