package io.headgate.scheduler.grpc;

import static io.headgate.scheduler.grpc.JobEndpoint.answer;

import com.google.protobuf.Timestamp;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.auth.Principal;
import io.headgate.kit.auth.Principals;
import io.headgate.kit.auth.Role;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.grpc.ProtoTimes;
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
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.ledger.UsageInterval;
import io.headgate.scheduler.runtime.leadership.LeaderDoor;
import io.headgate.scheduler.runtime.record.IntervalReader;
import io.headgate.scheduler.runtime.record.TooManyRowsException;
import io.headgate.scheduler.runtime.record.UsageReader;
import io.headgate.scheduler.runtime.record.UsageReader.Asked;
import io.headgate.scheduler.runtime.record.UsageReader.Dimension;
import io.headgate.scheduler.runtime.record.UsageRetention;
import io.headgate.type.Viewer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/// Serves reports from the usage ledger. The leader says first which intervals last, and all the
/// rest comes from the database.
public final class UsageReportEndpoint extends UsageReportServiceGrpc.UsageReportServiceImplBase {
  private final LeaderDoor door;
  private final UsageReader reader;
  private final UsageIntervals intervals;

  /// The readers are those of the ledger that the door's leader writes.
  ///
  /// @param retention of the ledger
  public UsageReportEndpoint(
      EndpointParts parts, UsageReader reader, IntervalReader intervals, UsageRetention retention) {
    this.door = parts.door();
    this.reader = reader;
    this.intervals = new UsageIntervals(parts, intervals, retention);
  }

  /// One request with the leader's answer.
  private record Question(Asked asked, List<UsageInterval> open) {}

  private record Said(Instant now, Viewer viewer, List<UsageInterval> open) {}

  private Question question(
      String parent, boolean allTenants, Timestamp start, Optional<Timestamp> end) {
    TenantId tenant = Names.tenant(parent);
    Principal caller = Principals.current();
    if (allTenants && caller.role() != Role.PLATFORM_OPERATOR) {
      throw Refusal.invalidField(
              "OPERATORS_ONLY",
              "all_tenants",
              "only a platform operator sees the usage of all tenants; leave it out")
          .exception();
    }
    Said said =
        Refusals.leading(
            true,
            () ->
                door.ask(leader ->
                    new Said(
                        leader.now().truncatedTo(ChronoUnit.MILLIS),
                        Viewers.of(caller, tenant, leader.catalog()),
                        leader.reads().openUsage(leader.now()))));
    Instant from = ProtoTimes.instant(start).truncatedTo(ChronoUnit.MILLIS);
    Instant until =
        end.map(ProtoTimes::instant)
            .map(time -> time.truncatedTo(ChronoUnit.MILLIS))
            .filter(time -> time.isBefore(said.now()))
            .orElse(said.now());
    UsagePeriod.requireBegun(from, until, said.now());
    return new Question(
        new Asked(
            allTenants ? Optional.empty() : Optional.of(tenant),
            said.viewer(),
            from,
            until,
            said.now()),
        said.open());
  }

  @Override
  public void reportUsage(ReportUsageRequest request, StreamObserver<ReportUsageResponse> out) {
    Question question =
        question(
            request.getParent(),
            request.getAllTenants(),
            request.getStartTime(),
            request.hasEndTime() ? Optional.of(request.getEndTime()) : Optional.empty());
    List<Dimension> by = request.getByList().stream().map(UsageReportEndpoint::dimension).toList();
    try {
      answer(
          out,
          UsageReportMapper.usage(
              question.asked(), reader.report(question.asked(), by, question.open())));
    } catch (TooManyRowsException e) {
      throw Refusal.invalidField(
              "TOO_MANY_ROWS",
              "by",
              e.getMessage() + "; ask for fewer dimensions or a shorter time")
          .exception();
    }
  }

  private static Dimension dimension(UsageDimension dimension) {
    return Dimension.valueOf(dimension.name().substring("USAGE_DIMENSION_".length()));
  }

  @Override
  public void reportReservations(
      ReportReservationsRequest request, StreamObserver<ReportReservationsResponse> out) {
    Question question =
        question(
            request.getParent(),
            false,
            request.getStartTime(),
            request.hasEndTime() ? Optional.of(request.getEndTime()) : Optional.empty());
    answer(
        out, UsageReportMapper.reservations(question.asked(), reader.shortages(question.asked())));
  }

  @Override
  public void reportCapacity(
      ReportCapacityRequest request, StreamObserver<ReportCapacityResponse> out) {
    Question question =
        question(
            request.getParent(),
            false,
            request.getStartTime(),
            request.hasEndTime() ? Optional.of(request.getEndTime()) : Optional.empty());
    answer(out, UsageReportMapper.capacity(question.asked(), reader.capacities(question.asked())));
  }

  @Override
  public void reportBudgets(
      ReportBudgetsRequest request, StreamObserver<ReportBudgetsResponse> out) {
    TenantId tenant = Names.tenant(request.getParent());
    Principal caller = Principals.current();
    answer(
        out,
        Refusals.leading(
            true,
            () ->
                door.ask(leader ->
                    BudgetReport.of(
                        leader.catalog(), tenant, Viewers.of(caller, tenant, leader.catalog())))));
  }

  @Override
  public void listUsageIntervals(
      ListUsageIntervalsRequest request, StreamObserver<ListUsageIntervalsResponse> out) {
    answer(out, intervals.list(request));
  }

  @Override
  public void checkUsage(CheckUsageRequest request, StreamObserver<CheckUsageResponse> out) {
    Question question =
        question(
            request.getParent(),
            false,
            request.getStartTime(),
            request.hasEndTime() ? Optional.of(request.getEndTime()) : Optional.empty());
    answer(
        out,
        UsageReportMapper.check(question.asked(), reader.check(question.asked(), question.open())));
  }
}
