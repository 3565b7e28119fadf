package io.headgate.scheduler.grpc;

import com.google.protobuf.Duration;
import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.proto.scheduler.v1.CapacityRow;
import io.headgate.proto.scheduler.v1.CheckUsageResponse;
import io.headgate.proto.scheduler.v1.Cost;
import io.headgate.proto.scheduler.v1.MissingByReason;
import io.headgate.proto.scheduler.v1.ReportCapacityResponse;
import io.headgate.proto.scheduler.v1.ReportReservationsResponse;
import io.headgate.proto.scheduler.v1.ReportUsageResponse;
import io.headgate.proto.scheduler.v1.ReservationRow;
import io.headgate.proto.scheduler.v1.UsageIdentity;
import io.headgate.proto.scheduler.v1.UsageRow;
import io.headgate.scheduler.runtime.record.UsageReader.Asked;
import io.headgate.scheduler.runtime.record.UsageReader.Capacity;
import io.headgate.scheduler.runtime.record.UsageReader.Identity;
import io.headgate.scheduler.runtime.record.UsageReader.Report;
import io.headgate.scheduler.runtime.record.UsageReader.Row;
import io.headgate.scheduler.runtime.record.UsageReader.Shortage;
import io.headgate.scheduler.runtime.record.UsageReader.Sums;
import io.headgate.scheduler.runtime.record.WaitingTimes;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/// Reports of usage in the words of the contract.
final class UsageReportMapper {
  private static final double HALF = 0.5;
  private static final double NEARLY_ALL = 0.99;

  private UsageReportMapper() {}

  static ReportUsageResponse usage(Asked asked, Report report) {
    ReportUsageResponse.Builder response =
        ReportUsageResponse.newBuilder()
            .setStartTime(ProtoTimes.toProto(asked.from()))
            .setEndTime(ProtoTimes.toProto(asked.until()))
            .setTotal(row(report.total()));
    report.finalUntil().map(ProtoTimes::toProto).ifPresent(response::setFinalUntil);
    report.rows().forEach(row -> response.addRows(row(row)));
    return response.build();
  }

  private static UsageRow row(Row row) {
    Sums sums = row.sums();
    UsageRow.Builder builder =
        UsageRow.newBuilder()
            .addAllKeys(row.keys())
            .setEntitled(sums.entitled().toString())
            .setOverReservation(sums.overReservation().toString())
            .setAboveLimit(sums.aboveLimit().toString())
            .setHeld(sums.held().toString())
            .setBusy(sums.busy().toString())
            .setMeasured(sums.measured().toString())
            .setLost(sums.lost().toString())
            .setPreemptions(sums.preemptions())
            .setStarts(sums.starts());
    row.reserved().ifPresent(reserved -> builder.setReserved(reserved.toString()));
    WaitingTimes.quantile(sums.waits(), HALF).ifPresent(time -> builder.setWaitP50(duration(time)));
    WaitingTimes.quantile(sums.waits(), NEARLY_ALL)
        .ifPresent(time -> builder.setWaitP99(duration(time)));
    sums.costs().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(cost ->
            builder.addCosts(
                Cost.newBuilder()
                    .setCurrency(cost.getKey())
                    .setAmount(cost.getValue().toPlainString())));
    return builder.build();
  }

  private static Duration duration(java.time.Duration time) {
    return Duration.newBuilder().setSeconds(time.getSeconds()).setNanos(time.getNano()).build();
  }

  static ReportReservationsResponse reservations(Asked asked, List<Shortage> shortages) {
    ReportReservationsResponse.Builder response =
        ReportReservationsResponse.newBuilder()
            .setStartTime(ProtoTimes.toProto(asked.from()))
            .setEndTime(ProtoTimes.toProto(asked.until()));
    for (Shortage shortage : shortages) {
      ReservationRow.Builder row =
          ReservationRow.newBuilder()
              .setPolicy(shortage.policy())
              .setReserved(shortage.reserved().toString())
              .setMissing(shortage.missing().toString())
              .setDuration(duration(shortage.duration()))
              .setLongest(duration(shortage.longest()));
      shortage.reasons().entrySet().stream()
          .sorted(
              Comparator.comparing(
                      (Map.Entry<String, Shortage.Part> each) -> each.getValue().duration())
                  .reversed()
                  .thenComparing(Map.Entry::getKey))
          .forEach(reason ->
              row.addReasons(
                  MissingByReason.newBuilder()
                      .setReason(reason.getKey())
                      .setMissing(reason.getValue().missing().toString())
                      .setDuration(duration(reason.getValue().duration()))));
      response.addRows(row);
    }
    return response.build();
  }

  static ReportCapacityResponse capacity(Asked asked, List<Capacity> pools) {
    ReportCapacityResponse.Builder response =
        ReportCapacityResponse.newBuilder()
            .setStartTime(ProtoTimes.toProto(asked.from()))
            .setEndTime(ProtoTimes.toProto(asked.until()));
    for (Capacity pool : pools) {
      response.addPools(
          CapacityRow.newBuilder()
              .setPool(pool.pool())
              .setCapacity(pool.capacity().toString())
              .setEntitled(pool.entitled().toString())
              .setOverReservation(pool.overReservation().toString())
              .setAboveLimit(pool.aboveLimit().toString())
              .setHeld(pool.held().toString())
              .setIdle(pool.idle().toString())
              .setUnusable(pool.unusable().toString())
              .setDown(pool.down().toString()));
    }
    return response.build();
  }

  static CheckUsageResponse check(Asked asked, List<Identity> identities) {
    CheckUsageResponse.Builder response =
        CheckUsageResponse.newBuilder()
            .setStartTime(ProtoTimes.toProto(asked.from()))
            .setEndTime(ProtoTimes.toProto(asked.until()));
    for (Identity identity : identities) {
      response.addIdentities(
          UsageIdentity.newBuilder()
              .setSubject(identity.subject())
              .setLedger(identity.ledger().toString())
              .setRecount(identity.recount().toString())
              .setMethod(identity.method())
              .setCloses(identity.closes()));
    }
    return response.build();
  }
}
