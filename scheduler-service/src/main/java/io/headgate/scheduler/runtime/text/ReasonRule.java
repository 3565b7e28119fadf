package io.headgate.scheduler.runtime.text;

import io.headgate.scheduler.core.explain.Reason;

/// The rule that a reason comes from, as `docs/reference/rules.md` numbers it.
public final class ReasonRule {
  private ReasonRule() {}

  /// Empty: no numbered rule.
  public static String of(Reason reason) {
    return switch (reason) {
      case Reason.QueueClosed _, Reason.Budget _ -> "A1";
      case Reason.Limit _ -> "A2";
      case Reason.TenantLimit _, Reason.DepartmentLimit _ -> "A3";
      case Reason.UserLimit _ -> "A4";
      case Reason.OverReservationDenied _,
          Reason.DepartmentOverReservationDenied _,
          Reason.TenantOverReservationDenied _ ->
          "A5";
      case Reason.Capacity _, Reason.Fragmentation _, Reason.SetAside _ -> "A6";
      case Reason.PoolCapacity _ -> "A7";
      case Reason.NonPreemptible _,
          Reason.DepartmentNonPreemptible _,
          Reason.TenantNonPreemptible _ ->
          "A8";
      case Reason.Hold _, Reason.Holding _ -> "O7";
      case Reason.HeldInLimit(Reason limit, var _, var _, var _) -> of(limit);
      case Reason.WaitingForVictims _ -> "P5";
      case Reason.NeverFits _,
          Reason.AfterJobs _,
          Reason.NotBefore _,
          Reason.Suspended _,
          Reason.BackingOff _,
          Reason.WaitingForProvider _ ->
          "";
    };
  }
}
