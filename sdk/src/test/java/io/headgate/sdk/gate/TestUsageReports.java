package io.headgate.sdk.gate;

import static io.headgate.sdk.gate.TestSupply.send;

import io.grpc.stub.StreamObserver;
import io.headgate.proto.scheduler.v1.CheckUsageRequest;
import io.headgate.proto.scheduler.v1.CheckUsageResponse;
import io.headgate.proto.scheduler.v1.ReportBudgetsRequest;
import io.headgate.proto.scheduler.v1.ReportBudgetsResponse;
import io.headgate.proto.scheduler.v1.ReportCapacityRequest;
import io.headgate.proto.scheduler.v1.ReportCapacityResponse;
import io.headgate.proto.scheduler.v1.ReportReservationsRequest;
import io.headgate.proto.scheduler.v1.ReportReservationsResponse;
import io.headgate.proto.scheduler.v1.ReportUsageRequest;
import io.headgate.proto.scheduler.v1.ReportUsageResponse;
import io.headgate.proto.scheduler.v1.UsageReportServiceGrpc;

/// Reports that a test prescribes, for the period that is asked for.
public final class TestUsageReports extends UsageReportServiceGrpc.UsageReportServiceImplBase {
  public ReportUsageResponse usage = ReportUsageResponse.getDefaultInstance();
  public ReportReservationsResponse reservations = ReportReservationsResponse.getDefaultInstance();
  public ReportCapacityResponse capacity = ReportCapacityResponse.getDefaultInstance();
  public ReportBudgetsResponse budgets = ReportBudgetsResponse.getDefaultInstance();
  public CheckUsageResponse check = CheckUsageResponse.getDefaultInstance();

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
  public void checkUsage(CheckUsageRequest request, StreamObserver<CheckUsageResponse> answer) {
    send(
        answer,
        check.toBuilder()
            .setStartTime(request.getStartTime())
            .setEndTime(request.getEndTime())
            .build());
  }
}
