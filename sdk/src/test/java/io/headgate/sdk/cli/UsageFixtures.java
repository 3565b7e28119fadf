package io.headgate.sdk.cli;

import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import io.headgate.proto.policy.v1.Budget;
import io.headgate.proto.scheduler.v1.BudgetUse;
import io.headgate.proto.scheduler.v1.CapacityRow;
import io.headgate.proto.scheduler.v1.CheckUsageResponse;
import io.headgate.proto.scheduler.v1.Cost;
import io.headgate.proto.scheduler.v1.MissingByReason;
import io.headgate.proto.scheduler.v1.ReportBudgetsResponse;
import io.headgate.proto.scheduler.v1.ReportCapacityResponse;
import io.headgate.proto.scheduler.v1.ReportReservationsResponse;
import io.headgate.proto.scheduler.v1.ReportUsageResponse;
import io.headgate.proto.scheduler.v1.ReservationRow;
import io.headgate.proto.scheduler.v1.UsageIdentity;
import io.headgate.proto.scheduler.v1.UsageRow;
import io.headgate.sdk.gate.TestUsageReports;
import java.math.BigDecimal;
import java.time.Instant;

/// A week of two teams on 16 GPUs.
final class UsageFixtures {
  private static final Instant FINAL_UNTIL = Instant.parse("2026-11-07T03:00:00Z");

  private UsageFixtures() {}

  static void fill(TestUsageReports reports) {
    UsageRow dev =
        row("ai-dev", "672", "640", "411", "1261.20")
            .setBusy(hours("746.25"))
            .setMeasured(hours("1051"))
            .setLost(hours("3.2"))
            .setHeld(hours("0.004"))
            .setPreemptions(14)
            .setStarts(1204)
            .setWaitP50(Duration.newBuilder().setSeconds(240))
            .setWaitP99(Duration.newBuilder().setSeconds(4200))
            .build();
    UsageRow research =
        row("research", "1008", "377", "0", "452.40")
            .setPreemptions(0)
            .setStarts(2)
            .setWaitP50(Duration.newBuilder().setNanos(3_000_000))
            .setWaitP99(Duration.newBuilder().setSeconds(180))
            .build();
    reports.usage =
        ReportUsageResponse.newBuilder()
            .addRows(dev)
            .addRows(research)
            .setFinalUntil(Timestamp.newBuilder().setSeconds(FINAL_UNTIL.getEpochSecond()))
            .setTotal(
                row("", "1680", "1017", "411", "1713.60")
                    .clearKeys()
                    .setBusy(dev.getBusy())
                    .setMeasured(dev.getMeasured())
                    .setLost(dev.getLost())
                    .setHeld(dev.getHeld())
                    .setPreemptions(14)
                    .setStarts(1206)
                    .setWaitP50(dev.getWaitP50())
                    .setWaitP99(dev.getWaitP99()))
            .build();
    reports.capacity =
        ReportCapacityResponse.newBuilder()
            .addPools(
                CapacityRow.newBuilder()
                    .setPool("onprem-rtx6000")
                    .setCapacity(hours("2688"))
                    .setEntitled(hours("1017"))
                    .setOverReservation(hours("411"))
                    .setAboveLimit("0")
                    .setHeld(hours("12"))
                    .setIdle(hours("1224"))
                    .setUnusable(hours("40.5"))
                    .setDown(hours("24")))
            .build();
    reports.reservations =
        ReportReservationsResponse.newBuilder()
            .addRows(
                ReservationRow.newBuilder()
                    .setPolicy("research")
                    .setReserved(hours("1008"))
                    .setMissing(hours("6.5"))
                    .setDuration(Duration.newBuilder().setSeconds(7500))
                    .setLongest(Duration.newBuilder().setSeconds(3600))
                    .addReasons(reason("CAPACITY", "6", 7200))
                    .addReasons(reason("WAITING_FOR_VICTIMS", "0.5", 300)))
            .build();
    reports.check =
        CheckUsageResponse.newBuilder()
            .addIdentities(
                UsageIdentity.newBuilder()
                    .setSubject("pool onprem-rtx6000: capacity")
                    .setLedger(hours("2688"))
                    .setRecount(hours("2688"))
                    .setMethod("entitled + over + above + held + idle + down")
                    .setCloses(true))
            .addIdentities(
                UsageIdentity.newBuilder()
                    .setSubject("jobs: used")
                    .setLedger(hours("1428"))
                    .setRecount(hours("1427.5"))
                    .setMethod("from assignment to end, by events")
                    .setCloses(false))
            .build();
    reports.budgets = budgets();
  }

  private static ReportBudgetsResponse budgets() {
    return ReportBudgetsResponse.newBuilder()
        .addBudgets(
            budget(BudgetUse.Level.LEVEL_TENANT, "acme", "9824.554311")
                .setBudget(
                    Budget.newBuilder()
                        .setCost("12000.5")
                        .setCurrency("EUR")
                        .setPer(Budget.Per.PER_MONTH)
                        .setWarnAt(80)
                        .setWhenSpent(Budget.WhenSpent.WHEN_SPENT_STOP))
                .setState(BudgetUse.State.STATE_WARNED)
                .setExpectedSpentTime(timestamp("2026-11-25T18:30:00Z")))
        .addBudgets(
            budget(BudgetUse.Level.LEVEL_DEPARTMENT, "engineering", "5012.25")
                .setBudget(time("5000", Budget.WhenSpent.WHEN_SPENT_WAIT))
                .setState(BudgetUse.State.STATE_SPENT))
        .addBudgets(
            budget(BudgetUse.Level.LEVEL_POLICY, "ai-dev", "1599.999")
                .setBudget(time("2000", Budget.WhenSpent.WHEN_SPENT_YIELD))
                .setState(BudgetUse.State.STATE_OK))
        .addBudgets(
            budget(BudgetUse.Level.LEVEL_POLICY, "research", "0")
                .setBudget(time("0.5", Budget.WhenSpent.WHEN_SPENT_WARN))
                .clearReadTime())
        .build();
  }

  private static BudgetUse.Builder budget(BudgetUse.Level level, String id, String used) {
    return BudgetUse.newBuilder()
        .setLevel(level)
        .setId(id)
        .setUsed(used)
        .setStartTime(timestamp("2026-11-01T00:00:00Z"))
        .setEndTime(timestamp("2026-12-01T00:00:00Z"))
        .setReadTime(timestamp("2026-11-21T13:59:55Z"));
  }

  private static Budget time(String hours, Budget.WhenSpent whenSpent) {
    return Budget.newBuilder()
        .setGpuHours(hours)
        .setPer(Budget.Per.PER_MONTH)
        .setWarnAt(80)
        .setWhenSpent(whenSpent)
        .build();
  }

  private static Timestamp timestamp(String time) {
    return Timestamp.newBuilder().setSeconds(Instant.parse(time).getEpochSecond()).build();
  }

  private static UsageRow.Builder row(
      String policy, String reserved, String entitled, String over, String cost) {
    return UsageRow.newBuilder()
        .addKeys(policy)
        .setReserved(hours(reserved))
        .setEntitled(hours(entitled))
        .setOverReservation(hours(over))
        .setAboveLimit("0")
        .setHeld("0")
        .setBusy("0")
        .setMeasured("0")
        .setLost("0")
        .addCosts(Cost.newBuilder().setCurrency("USD").setAmount(cost));
  }

  private static MissingByReason reason(String code, String missing, long seconds) {
    return MissingByReason.newBuilder()
        .setReason(code)
        .setMissing(hours(missing))
        .setDuration(Duration.newBuilder().setSeconds(seconds))
        .build();
  }

  private static String hours(String hours) {
    return new BigDecimal(hours)
        .multiply(new BigDecimal(126_000L * 3_600_000L))
        .toBigIntegerExact()
        .toString();
  }
}
