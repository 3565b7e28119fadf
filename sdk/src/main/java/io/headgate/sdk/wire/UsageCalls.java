package io.headgate.sdk.wire;

import com.google.protobuf.Timestamp;
import io.headgate.proto.scheduler.v1.CheckUsageRequest;
import io.headgate.proto.scheduler.v1.CheckUsageResponse;
import io.headgate.proto.scheduler.v1.ListUsageIntervalsRequest;
import io.headgate.proto.scheduler.v1.ListUsageIntervalsResponse;
import io.headgate.proto.scheduler.v1.ReportBudgetsRequest;
import io.headgate.proto.scheduler.v1.ReportBudgetsResponse;
import io.headgate.proto.scheduler.v1.ReportCapacityRequest;
import io.headgate.proto.scheduler.v1.ReportCapacityResponse;
import io.headgate.proto.scheduler.v1.ReportReservationsRequest;
import io.headgate.proto.scheduler.v1.ReportReservationsResponse;
import io.headgate.proto.scheduler.v1.ReportUsageRequest;
import io.headgate.proto.scheduler.v1.ReportUsageResponse;
import io.headgate.proto.scheduler.v1.UsageDimension;
import io.headgate.proto.scheduler.v1.UsageReportServiceGrpc;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Reports from the usage ledger.
public final class UsageCalls {
  private static final int INTERVALS_PER_PAGE = 1_000;

  private final Connection connection;
  private final String parent;

  /// @param tenant id of the tenant
  public UsageCalls(Connection connection, String tenant) {
    this.connection = connection;
    this.parent = ResourceNames.tenant(tenant);
  }

  /// The usage of a period.
  ///
  /// @param until absent: now
  /// @param allTenants for operators
  public ReportUsageResponse report(
      Instant since, Optional<Instant> until, List<UsageDimension> by, boolean allTenants) {
    ReportUsageRequest.Builder request =
        ReportUsageRequest.newBuilder()
            .setParent(parent)
            .setStartTime(timestamp(since))
            .addAllBy(by)
            .setAllTenants(allTenants);
    until.map(UsageCalls::timestamp).ifPresent(request::setEndTime);
    return connection.call(
        UsageReportServiceGrpc.getReportUsageMethod(), request.build(), Idempotency.IDEMPOTENT);
  }

  /// The shortages of policies.
  public ReportReservationsResponse reservations(Instant since, Optional<Instant> until) {
    ReportReservationsRequest.Builder request =
        ReportReservationsRequest.newBuilder().setParent(parent).setStartTime(timestamp(since));
    until.map(UsageCalls::timestamp).ifPresent(request::setEndTime);
    return connection.call(
        UsageReportServiceGrpc.getReportReservationsMethod(),
        request.build(),
        Idempotency.IDEMPOTENT);
  }

  /// The capacity of the tenant's own pools.
  public ReportCapacityResponse capacity(Instant since, Optional<Instant> until) {
    ReportCapacityRequest.Builder request =
        ReportCapacityRequest.newBuilder().setParent(parent).setStartTime(timestamp(since));
    until.map(UsageCalls::timestamp).ifPresent(request::setEndTime);
    return connection.call(
        UsageReportServiceGrpc.getReportCapacityMethod(), request.build(), Idempotency.IDEMPOTENT);
  }

  /// The tenant's budgets with their use in their present periods.
  public ReportBudgetsResponse budgets() {
    return connection.call(
        UsageReportServiceGrpc.getReportBudgetsMethod(),
        ReportBudgetsRequest.newBuilder().setParent(parent).build(),
        Idempotency.IDEMPOTENT);
  }

  /// Compares the ledger with itself and with events.
  public CheckUsageResponse check(Instant since, Optional<Instant> until) {
    CheckUsageRequest.Builder request =
        CheckUsageRequest.newBuilder().setParent(parent).setStartTime(timestamp(since));
    until.map(UsageCalls::timestamp).ifPresent(request::setEndTime);
    return connection.call(
        UsageReportServiceGrpc.getCheckUsageMethod(), request.build(), Idempotency.IDEMPOTENT);
  }

  /// Names that the intervals have; an empty list stands for all.
  public record IntervalFilter(
      List<String> pools, List<String> nodes, List<String> policies, List<String> jobs) {
    public IntervalFilter {
      pools = List.copyOf(pools);
      nodes = List.copyOf(nodes);
      policies = List.copyOf(policies);
      jobs = List.copyOf(jobs);
    }
  }

  /// A page of the single intervals of a period, by start time, with those of slices that were
  /// down.
  ///
  /// @param pageToken of the page before; empty: the first page
  public ListUsageIntervalsResponse intervals(
      Instant since, Optional<Instant> until, IntervalFilter filter, String pageToken) {
    ListUsageIntervalsRequest.Builder request =
        ListUsageIntervalsRequest.newBuilder()
            .setParent(parent)
            .setStartTime(timestamp(since))
            .addAllPools(filter.pools())
            .addAllNodes(filter.nodes())
            .addAllPolicies(filter.policies())
            .addAllJobs(filter.jobs())
            .setIncludeDown(true)
            .setPageSize(INTERVALS_PER_PAGE)
            .setPageToken(pageToken);
    until.map(UsageCalls::timestamp).ifPresent(request::setEndTime);
    return connection.call(
        UsageReportServiceGrpc.getListUsageIntervalsMethod(),
        request.build(),
        Idempotency.IDEMPOTENT);
  }

  private static Timestamp timestamp(Instant time) {
    return Timestamp.newBuilder()
        .setSeconds(time.getEpochSecond())
        .setNanos(time.getNano())
        .build();
  }
}
