package io.headgate.sdk.cli.command.usage;

import io.headgate.proto.scheduler.v1.Cost;
import io.headgate.proto.scheduler.v1.ReportUsageResponse;
import io.headgate.proto.scheduler.v1.UsageDimension;
import io.headgate.proto.scheduler.v1.UsageRow;
import io.headgate.sdk.cli.command.shared.Period;
import io.headgate.sdk.cli.command.usage.MeteredRow.Kind;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.CsvText;
import io.headgate.sdk.cli.output.JsonText;
import io.headgate.sdk.cli.output.UsageException;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Prints the final days or hours of the ledger for billing. An export of a period has the same
/// lines whenever it is made, and the lines of two periods never overlap: a billing system takes
/// each once, by its period and its values.
///
/// @param dimensions words of the command line, in the order of `by`
record UsageExport(
    Invocation invocation,
    Form form,
    ChronoUnit unit,
    List<UsageDimension> by,
    List<String> dimensions,
    boolean allTenants) {
  private static final int MAX_PERIODS = 1_000;

  /// The forms.
  enum Form {
    CSV,
    JSONL,
    OPENMETRICS
  }

  UsageExport {
    by = List.copyOf(by);
    dimensions = List.copyOf(dimensions);
  }

  int print(Period period) {
    Instant begin = period.since().truncatedTo(unit);
    if (begin.isBefore(period.since())) {
      begin = begin.plus(1, unit);
    }
    Instant end =
        period
            .until()
            .orElseGet(() -> invocation.output().times().clock().instant())
            .truncatedTo(unit);
    if (unit.between(begin, end) > MAX_PERIODS) {
      throw new UsageException(
          "the period has %,d %s, and %,d are exported at once"
              .formatted(unit.between(begin, end), noun() + "s", MAX_PERIODS),
          "INVALID_PERIOD",
          "choose a shorter period, or --per day");
    }
    OpenMetricsText metrics = new OpenMetricsText();
    if (form == Form.CSV) {
      invocation.output().line(CsvText.line(MeteredRow.columns(dimensions)));
    }
    Instant done = begin;
    for (Instant next = begin.plus(1, unit); !next.isAfter(end); next = next.plus(1, unit)) {
      Optional<ReportUsageResponse> report = whenFinal(done, next);
      if (report.isEmpty()) {
        break;
      }
      for (UsageRow usage : report.get().getRowsList()) {
        print(MeteredRow.of(done, next, dimensions, usage), metrics);
      }
      done = next;
    }
    if (form == Form.OPENMETRICS) {
      invocation.output().text(metrics.text());
    }
    invocation
        .output()
        .note(
            done.equals(begin)
                ? "no %s of this period is final yet".formatted(noun())
                : "exported until %s, all final; the next export begins with --since %s"
                    .formatted(done, done));
    return ExitCode.DONE;
  }

  private String noun() {
    return unit == ChronoUnit.DAYS ? "day" : "hour";
  }

  private Optional<ReportUsageResponse> whenFinal(Instant from, Instant until) {
    ReportUsageResponse report =
        invocation.session().usage().report(from, Optional.of(until), by, allTenants);
    boolean isFinal =
        report.hasFinalUntil() && !UsageCommand.instant(report.getFinalUntil()).isBefore(until);
    return isFinal ? Optional.of(report) : Optional.empty();
  }

  private void print(MeteredRow row, OpenMetricsText metrics) {
    switch (form) {
      case CSV -> lines(row).forEach(invocation.output()::line);
      case JSONL -> invocation.output().line(JsonText.of(json(row)));
      case OPENMETRICS -> metrics.add(row);
    }
  }

  /// A row with costs in two currencies takes two lines. The second has only the cost, so that the
  /// sum of each column is right.
  private static List<String> lines(MeteredRow row) {
    List<String> lines = new ArrayList<>();
    List<Cost> costs = row.usage().getCostsList();
    for (int i = 0; i < Math.max(1, costs.size()); i++) {
      List<String> fields = new ArrayList<>(List.of(row.from().toString(), row.until().toString()));
      fields.addAll(row.keys().values());
      for (Kind kind : Kind.values()) {
        fields.add(i == 0 ? GpuHours.exact(row.time(kind)) : "0");
      }
      fields.add(i == 0 ? String.valueOf(row.usage().getStarts()) : "0");
      fields.add(costs.isEmpty() ? "0" : new BigDecimal(costs.get(i).getAmount()).toPlainString());
      fields.add(costs.isEmpty() ? "" : costs.get(i).getCurrency());
      lines.add(CsvText.line(fields));
    }
    return lines;
  }

  private static Map<String, Object> json(MeteredRow row) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("start", row.from());
    json.put("end", row.until());
    json.putAll(row.keys());
    Map<String, Object> hours = new LinkedHashMap<>();
    for (Kind kind : Kind.values()) {
      hours.put(kind.column, new BigDecimal(GpuHours.exact(row.time(kind))));
    }
    json.put("gpuHours", Collections.unmodifiableMap(hours));
    json.put("starts", row.usage().getStarts());
    Map<String, Object> costs = new LinkedHashMap<>();
    row.usage().getCostsList().forEach(cost -> costs.put(cost.getCurrency(), cost.getAmount()));
    json.put("costs", costs);
    return json;
  }
}
