package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Timestamps;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.Budget;
import io.headgate.proto.scheduler.v1.BudgetUse;
import io.headgate.proto.scheduler.v1.CapacityRow;
import io.headgate.proto.scheduler.v1.ListNodeUsagesRequest;
import io.headgate.proto.scheduler.v1.ListUsageIntervalsRequest;
import io.headgate.proto.scheduler.v1.NodeUsage;
import io.headgate.proto.scheduler.v1.ReportBudgetsRequest;
import io.headgate.proto.scheduler.v1.ReportCapacityRequest;
import io.headgate.proto.scheduler.v1.ReportReservationsRequest;
import io.headgate.proto.scheduler.v1.ReportUsageRequest;
import io.headgate.proto.scheduler.v1.UsageDimension;
import io.headgate.proto.scheduler.v1.UsageInterval;
import io.headgate.proto.scheduler.v1.UsageReportServiceGrpc;
import io.headgate.proto.scheduler.v1.UsageRow;
import io.headgate.scheduler.VisibilityMatrixTest.Caller;
import java.util.List;

/// Reports of the usage ledger and uses of nodes, as each caller of [VisibilityMatrixTest] sees
/// them.
final class ReportVisibility {
  private ReportVisibility() {}

  private static UsageReportServiceGrpc.UsageReportServiceBlockingStub reports(Caller caller) {
    return UsageReportServiceGrpc.newBlockingStub(VisibilityMatrixTest.channel(caller));
  }

  /// The past hour.
  private static Timestamp since() {
    return Timestamps.fromMillis(System.currentTimeMillis() - 3_600_000);
  }

  static void reportsUsage(boolean isOpen) {
    ReportUsageRequest request =
        ReportUsageRequest.newBuilder()
            .setParent(ACME)
            .setStartTime(since())
            .addBy(UsageDimension.USAGE_DIMENSION_POLICY)
            .addBy(UsageDimension.USAGE_DIMENSION_USER)
            .build();
    VisibilityMatrixTest.each(
        isOpen,
        (caller, _) -> {
          if (caller.isForeign()) {
            assertThat(VisibilityMatrixTest.outcome("", () -> reports(caller).reportUsage(request)))
                .startsWith("TENANT_NOT_FOUND");
            return;
          }
          assertThat(reports(caller).reportUsage(request).getRowsList())
              .as("%s", caller)
              .extracting(UsageRow::getKeysList)
              .matches(keys -> keys.contains(List.of("rnd", "alice")) == caller.sees(isOpen));
          assertThat(reports(caller).reportUsage(request).getTotal().getStarts() > 0)
              .as("total of %s", caller)
              .isEqualTo(caller.sees(isOpen));
        });
  }

  static void reportsReservations(boolean isOpen) {
    ReportReservationsRequest request =
        ReportReservationsRequest.newBuilder().setParent(ACME).setStartTime(since()).build();
    VisibilityMatrixTest.each(
        isOpen,
        (caller, _) -> {
          if (caller.isForeign()) {
            assertThat(
                    VisibilityMatrixTest.outcome(
                        "", () -> reports(caller).reportReservations(request)))
                .startsWith("TENANT_NOT_FOUND");
            return;
          }
          assertThat(
                  reports(caller).reportReservations(request).getRowsList().stream()
                      .anyMatch(row -> row.getPolicy().equals("rnd")))
              .as("%s", caller)
              .isEqualTo(caller.sees(isOpen));
        });
  }

  static void reportsCapacity(boolean isOpen) {
    Timestamp until = Timestamps.fromMillis(System.currentTimeMillis());
    ReportCapacityRequest request =
        ReportCapacityRequest.newBuilder()
            .setParent(ACME)
            .setStartTime(since())
            .setEndTime(until)
            .build();
    VisibilityMatrixTest.each(
        isOpen,
        (caller, _) -> {
          if (caller.isForeign()) {
            assertThat(
                    VisibilityMatrixTest.outcome("", () -> reports(caller).reportCapacity(request)))
                .startsWith("TENANT_NOT_FOUND");
            return;
          }
          CapacityRow whole = reports(Caller.OPERATOR).reportCapacity(request).getPools(0);
          assertThat(whole.getCapacity()).isNotEqualTo("0");
          assertThat(reports(caller).reportCapacity(request).getPools(0))
              .as("%s sees that capacity is taken", caller)
              .isEqualTo(whole);
        });
  }

  /// The tenant and its first policy have one.
  static AccessConfiguration withBudgets(AccessConfiguration rights) {
    Budget budget = Budget.newBuilder().setGpuHours("1000").setPer(Budget.Per.PER_MONTH).build();
    return rights.toBuilder()
        .setBudget(budget)
        .setPolicies(0, rights.getPolicies(0).toBuilder().setBudget(budget))
        .build();
  }

  static void reportsBudgets(boolean isOpen) {
    ReportBudgetsRequest request = ReportBudgetsRequest.newBuilder().setParent(ACME).build();
    VisibilityMatrixTest.each(
        isOpen,
        (caller, _) -> {
          if (caller.isForeign()) {
            assertThat(
                    VisibilityMatrixTest.outcome("", () -> reports(caller).reportBudgets(request)))
                .startsWith("TENANT_NOT_FOUND");
            return;
          }
          List<String> whole = List.of("acme", "rnd");
          List<String> own = caller.sees(false) ? List.of("rnd") : List.of();
          boolean seesAll =
              isOpen ? caller.sees(true) : caller == Caller.ADMIN || caller == Caller.OPERATOR;
          assertThat(reports(caller).reportBudgets(request).getBudgetsList())
              .as("%s", caller)
              .extracting(BudgetUse::getId)
              .isEqualTo(seesAll ? whole : own);
        });
  }

  static void listsIntervals(boolean isOpen) {
    ListUsageIntervalsRequest all =
        ListUsageIntervalsRequest.newBuilder()
            .setParent(ACME)
            .setStartTime(since())
            .setEndTime(Timestamps.fromMillis(System.currentTimeMillis()))
            .setIncludeDown(true)
            .build();
    VisibilityMatrixTest.each(
        isOpen,
        (caller, _) -> {
          if (caller.isForeign()) {
            assertThat(
                    VisibilityMatrixTest.outcome("", () -> reports(caller).listUsageIntervals(all)))
                .startsWith("TENANT_NOT_FOUND");
            return;
          }
          List<UsageInterval> down = down(Caller.OPERATOR, all);
          assertThat(down).isNotEmpty();
          assertThat(down(caller, all)).as("%s", caller).isEqualTo(down);
          List<UsageInterval> whole = intervals(Caller.OPERATOR, all);
          assertThat(whole).isNotEmpty().allMatch(each -> each.getPolicy().equals("rnd"));
          assertThat(intervals(caller, all))
              .as("%s sees that devices are in use", caller)
              .containsExactlyElementsOf(
                  caller.sees(isOpen)
                      ? whole
                      : whole.stream().map(ReportVisibility::withoutJob).toList());
          assertThat(intervals(caller, all.toBuilder().addPolicies("rnd").build()))
              .as("%s", caller)
              .hasSize(caller.sees(isOpen) ? whole.size() : 0);
          ListUsageIntervalsRequest ofJob =
              all.toBuilder().addJobs(whole.getFirst().getJob()).build();
          assertThat(
                  VisibilityMatrixTest.outcome("", () -> reports(caller).listUsageIntervals(ofJob)))
              .as("%s", caller)
              .startsWith(caller.sees(isOpen) ? "OK" : "JOB_NOT_FOUND");
        });
  }

  private static List<UsageInterval> down(Caller caller, ListUsageIntervalsRequest request) {
    return reports(caller).listUsageIntervals(request).getIntervalsList().stream()
        .filter(UsageInterval::getDown)
        .toList();
  }

  /// Without what changes when a job ends: other jobs of the tests may do so meanwhile.
  private static List<UsageInterval> intervals(Caller caller, ListUsageIntervalsRequest request) {
    return reports(caller).listUsageIntervals(request).getIntervalsList().stream()
        .filter(each -> !each.getDown())
        .map(each -> each.toBuilder().clearEndTime().clearStoppingTime().clearPreempted().build())
        .toList();
  }

  private static UsageInterval withoutJob(UsageInterval whole) {
    return UsageInterval.newBuilder()
        .setStartTime(whole.getStartTime())
        .setPool(whole.getPool())
        .setNode(whole.getNode())
        .setDevice(whole.getDevice())
        .setDeviceUuid(whole.getDeviceUuid())
        .setQuantity(whole.getQuantity())
        .build();
  }

  private static long taken(NodeUsage node) {
    return node.getDevicesList().stream().filter(device -> device.getUsed().equals("1")).count();
  }

  static void usesOfNodes(boolean isOpen) {
    ListNodeUsagesRequest request = ListNodeUsagesRequest.newBuilder().setParent(ACME).build();
    VisibilityMatrixTest.each(
        isOpen,
        (caller, _) -> {
          if (!caller.isForeign()) {
            NodeUsage whole =
                VisibilityMatrixTest.usage(Caller.OPERATOR).listNodeUsages(request).getUsages(0);
            NodeUsage node =
                VisibilityMatrixTest.usage(caller).listNodeUsages(request).getUsages(0);
            assertThat(taken(node))
                .as("%s sees that devices are taken", caller)
                .isEqualTo(taken(whole))
                .isPositive();
            assertThat(node.getJobsCount() > 0).as("%s", caller).isEqualTo(caller.sees(isOpen));
            assertThat(node.getDevicesList().stream().anyMatch(device -> device.getJobsCount() > 0))
                .as("%s", caller)
                .isEqualTo(caller.sees(isOpen));
          }
        });
  }
}
