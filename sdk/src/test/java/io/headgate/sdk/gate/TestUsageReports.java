package io.headgate.sdk.gate;

import static io.headgate.sdk.gate.TestSupply.send;

import com.google.protobuf.Timestamp;
import io.grpc.stub.StreamObserver;
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
import io.headgate.proto.scheduler.v1.UsageInterval;
import io.headgate.proto.scheduler.v1.UsageReportServiceGrpc;
import java.util.ArrayList;
import java.util.List;

/// Reports that a test prescribes, for the period that is asked for.
public final class TestUsageReports extends UsageReportServiceGrpc.UsageReportServiceImplBase {
  public ReportUsageResponse usage = ReportUsageResponse.getDefaultInstance();
  public ReportReservationsResponse reservations = ReportReservationsResponse.getDefaultInstance();
  public ReportCapacityResponse capacity = ReportCapacityResponse.getDefaultInstance();
  public ReportBudgetsResponse budgets = ReportBudgetsResponse.getDefaultInstance();
  public CheckUsageResponse check = CheckUsageResponse.getDefaultInstance();

  /// Told in pages of four, those that match the request's filters by pool, node, policy and job.
  public final List<UsageInterval> intervals = new ArrayList<>();

  /// End of each period that is asked for without an end.
  public Timestamp now = Timestamp.getDefaultInstance();

  private static final int PAGE = 4;

  @Override
  public void reportUsage(ReportUsageRequest request, StreamObserver<ReportUsageResponse> answer) {
    send(
        answer,
        usage.toBuilder()
            .setStartTime(request.getStartTime())
            .setEndTime(request.getEndTime())
            .build());
  }

  @Override
  public void reportReservations(
      ReportReservationsRequest request, StreamObserver<ReportReservationsResponse> answer) {
    send(
        answer,
        reservations.toBuilder()
            .setStartTime(request.getStartTime())
            .setEndTime(request.getEndTime())
            .build());
  }

  @Override
  public void reportCapacity(
      ReportCapacityRequest request, StreamObserver<ReportCapacityResponse> answer) {
    send(answer, capacity);
  }

  @Override
  public void reportBudgets(
      ReportBudgetsRequest request, StreamObserver<ReportBudgetsResponse> answer) {
    send(answer, budgets);
  }

  @Override
  public void listUsageIntervals(
      ListUsageIntervalsRequest request, StreamObserver<ListUsageIntervalsResponse> answer) {
    List<UsageInterval> all =
        intervals.stream()
            .filter(each -> request.getIncludeDown() || !each.getDown())
            .filter(each -> admits(request.getPoolsList(), each.getPool()))
            .filter(each -> admits(request.getNodesList(), each.getNode()))
            .filter(each -> admits(request.getPoliciesList(), each.getPolicy()))
            .filter(each -> admits(request.getJobsList(), each.getJob()))
            .toList();
    int from = request.getPageToken().isEmpty() ? 0 : Integer.parseInt(request.getPageToken());
    int to = Math.min(from + PAGE, all.size());
    send(
        answer,
        ListUsageIntervalsResponse.newBuilder()
            .setStartTime(request.getStartTime())
            .setEndTime(request.hasEndTime() ? request.getEndTime() : now)
            .addAllIntervals(all.subList(from, to))
            .setNextPageToken(to < all.size() ? String.valueOf(to) : "")
            .build());
  }

  private static boolean admits(List<String> filter, String value) {
    return filter.isEmpty() || filter.contains(value);
  }

  @Override
  public void checkUsage(CheckUsageRequest request, StreamObserver<CheckUsageResponse> answer) {
    send(
        answer,
        check.toBuilder()
            .setStartTime(request.getStartTime())
            .setEndTime(request.getEndTime())
            .build());
  }
}
