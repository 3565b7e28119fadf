package io.headgate.sdk.cli.command.usage;

import static io.headgate.sdk.cli.command.usage.GpuHours.amount;

import io.headgate.proto.scheduler.v1.MissingByReason;
import io.headgate.proto.scheduler.v1.ReportReservationsResponse;
import io.headgate.proto.scheduler.v1.ReservationRow;
import io.headgate.sdk.cli.command.shared.Period;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.Cell;
import io.headgate.sdk.cli.output.Column;
import io.headgate.sdk.cli.output.JsonText;
import io.headgate.sdk.cli.output.ListOptions;
import io.headgate.sdk.cli.output.Listing;
import io.headgate.sdk.cli.output.Row;
import io.headgate.sdk.cli.output.YamlOfJson;
import java.util.ArrayList;
import java.util.List;

/// Prints how long policies were below their reservations while their jobs waited. A row for each
/// policy, and one for each of its reasons.
record ReservationReport(Invocation invocation, ListOptions options) {
  /// @param reason the reason's part; absent (empty) for the policy as a whole
  private record Line(ReservationRow policy, MissingByReason reason) {}

  int print(Period period) {
    ReportReservationsResponse report =
        invocation.session().usage().reservations(period.since(), period.until());
    switch (invocation.form().kind()) {
      case JSON -> invocation.output().line(JsonText.pretty(report));
      case YAML -> invocation.output().text(YamlOfJson.of(JsonText.pretty(report)));
      default -> table(report);
    }
    return 0;
  }

  private void table(ReportReservationsResponse report) {
    if (invocation.form().isTable()) {
      invocation
          .output()
          .line(
              Period.text(
                      UsageCommand.instant(report.getStartTime()),
                      UsageCommand.instant(report.getEndTime()))
                  + ", below the reservation while jobs waited");
      if (report.getRowsCount() == 0) {
        invocation.output().note("Each policy had its reservation whenever it wanted it.");
        return;
      }
    }
    List<Row<Line>> rows = new ArrayList<>();
    for (ReservationRow policy : report.getRowsList()) {
      for (MissingByReason reason : policy.getReasonsList()) {
        rows.add(Row.of(new Line(policy, reason), "row", "rows", policy));
      }
    }
    LISTING.print(LISTING.select(rows, options), "", options, invocation.output());
  }

  private static final Listing<Line> LISTING =
      new Listing<>(
          "shortages",
          List.of("rows"),
          line -> line.policy().getPolicy(),
          List.of(
              Column.of("POLICY", line -> Cell.of(line.policy().getPolicy())),
              Column.<Line>of(
                      "RESERVED",
                      line -> Cell.of(GpuHours.text(amount(line.policy().getReserved()))))
                  .toRight()
                  .plainly(line -> GpuHours.exact(amount(line.policy().getReserved()))),
              Column.<Line>of(
                      "MISSING", line -> Cell.of(GpuHours.text(amount(line.reason().getMissing()))))
                  .toRight()
                  .plainly(line -> GpuHours.exact(amount(line.reason().getMissing())))
                  .sortedBy(line -> amount(line.reason().getMissing())),
              Column.<Line>of(
                      "FOR", line -> Cell.of(UsageColumns.span(line.reason().getDuration())))
                  .toRight()
                  .sortedBy(line -> line.reason().getDuration().getSeconds()),
              Column.<Line>of(
                      "LONGEST", line -> Cell.of(UsageColumns.span(line.policy().getLongest())))
                  .toRight()
                  .sortedBy(line -> line.policy().getLongest().getSeconds()),
              Column.of("WHY", line -> Cell.of(line.reason().getReason()))));
}
