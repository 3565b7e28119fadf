package io.headgate.sdk.cli.command.usage;

import io.headgate.proto.scheduler.v1.ReportUsageResponse;
import io.headgate.proto.scheduler.v1.UsageDimension;
import io.headgate.proto.scheduler.v1.UsageRow;
import io.headgate.sdk.cli.command.shared.Period;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.frame.ListFlags;
import io.headgate.sdk.cli.output.JsonText;
import io.headgate.sdk.cli.output.ListOptions;
import io.headgate.sdk.cli.output.OutputForm;
import io.headgate.sdk.cli.output.Row;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.cli.output.YamlOfJson;
import io.headgate.type.NearestName;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `headgate usage`.
@Command(
    header = {
      "headgate usage                               the last 30 days, by policy",
      "headgate usage --since 2026-11 --by policy,profile,pool",
      "headgate usage --since 7d --by user --unit cost -o csv",
      "headgate usage --reservations                who was below its reservation and waited",
      "headgate usage --since 1d --check            count anew from events, and compare",
      "headgate usage --since 2026-11 --by policy,user --export csv    final days, for billing",
      ""
    },
    description =
        "Reports the GPU time of a period from the usage ledger: exact to the millisecond, and not"
            + " sampled. Times are UTC.")
public final class UsageCommand implements CliCommand {
  private static final List<String> DIMENSIONS =
      Arrays.stream(UsageDimension.values())
          .filter(each -> each != UsageDimension.UNRECOGNIZED && each.getNumber() > 0)
          .map(UsageCommand::word)
          .toList();

  @Mixin private final GlobalOptions global = new GlobalOptions();
  @Mixin private final ListFlags list = new ListFlags();

  @Option(
      names = "--since",
      paramLabel = "TIME",
      description =
          "Begin: 30d (the default), 12h, a month (2026-11), a day (2026-11-03) or a time. A month"
              + " or a day without --until is the period itself.")
  private String since = "30d";

  @Option(names = "--until", paramLabel = "TIME", description = "End (default: now).")
  private @Nullable String until;

  @Option(
      names = "--by",
      split = ",",
      paramLabel = "FIELD",
      description =
          "What the rows stand for: policy (the default), user, queue, profile, pool, group,"
              + " department, tenant. Several make a row for each combination.")
  private List<String> by = List.of("policy");

  @Option(
      names = "--unit",
      paramLabel = "UNIT",
      description = "gpu-hours (the default), or cost by the prices of that time.")
  private String unit = "gpu-hours";

  @Option(names = "--all-tenants", description = "The jobs of all tenants; for platform operators.")
  private boolean allTenants;

  @Option(
      names = "--reservations",
      description = "How long policies were below their reservations while they waited, and why.")
  private boolean reservations;

  @Option(
      names = "--check",
      description = "Compare the ledger with itself and with events. Exit 1: they differ.")
  private boolean check;

  @Option(
      names = "--export",
      paramLabel = "FORM",
      description =
          "For billing: the days of the period that are final, as csv, jsonl or openmetrics. The"
              + " same export has the same lines for ever.")
  private @Nullable String export;

  @Option(
      names = "--per",
      paramLabel = "UNIT",
      description = "day (the default) or hour: the length of an exported period.")
  private @Nullable String per;

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) {
    if (list.watch) {
      throw new UsageException(
          "usage does not follow changes", "BAD_ARGUMENT", "leave out --watch; see headgate top");
    }
    if (reservations && check) {
      throw new UsageException(
          "--reservations and --check are two reports", "BAD_ARGUMENT", "ask for one at a time");
    }
    if (export != null && (reservations || check)) {
      throw new UsageException(
          "--export is a report of its own",
          "BAD_ARGUMENT",
          "leave out " + (check ? "--check" : "--reservations"));
    }
    if (export == null && per != null) {
      throw new UsageException(
          "--per needs an export", "BAD_ARGUMENT", "add --export csv, jsonl or openmetrics");
    }
    Period period = Period.parse(since, until, invocation.output().times().clock().instant());
    if (check) {
      return new UsageCheckReport(invocation).print(period);
    }
    if (reservations) {
      return new ReservationReport(invocation, list.options(invocation)).print(period);
    }
    if (export != null) {
      return new UsageExport(
              invocation,
              form(export),
              unit(per),
              dimensions(),
              dimensions().stream().map(UsageCommand::word).toList(),
              allTenants)
          .print(period);
    }
    return report(invocation, period);
  }

  private static UsageExport.Form form(String word) {
    return Arrays.stream(UsageExport.Form.values())
        .filter(form -> form.name().toLowerCase(Locale.ROOT).equals(word))
        .findFirst()
        .orElseThrow(() ->
            new UsageException(
                "--export %s is no form".formatted(word),
                "BAD_ARGUMENT",
                "csv, jsonl or openmetrics"));
  }

  private static ChronoUnit unit(@Nullable String word) {
    return switch (word) {
      case null -> ChronoUnit.DAYS;
      case "day" -> ChronoUnit.DAYS;
      case "hour" -> ChronoUnit.HOURS;
      default ->
          throw new UsageException(
              "--per %s is no period".formatted(word), "BAD_ARGUMENT", "day or hour");
    };
  }

  private int report(Invocation invocation, Period period) {
    boolean isCost = isCost();
    List<UsageDimension> dimensions = dimensions();
    ReportUsageResponse report =
        invocation.session().usage().report(period.since(), period.until(), dimensions, allTenants);
    OutputForm form = invocation.form();
    switch (form.kind()) {
      case JSON -> invocation.output().line(JsonText.pretty(report));
      case YAML -> invocation.output().text(YamlOfJson.of(JsonText.pretty(report)));
      default -> table(invocation, report, dimensions, isCost, period);
    }
    return 0;
  }

  private void table(
      Invocation invocation,
      ReportUsageResponse report,
      List<UsageDimension> dimensions,
      boolean isCost,
      Period period) {
    boolean isText = invocation.form().isTable();
    UsageColumns columns =
        new UsageColumns(
            dimensions.stream().map(UsageCommand::word).toList(),
            isCost,
            invocation.form().kind() == OutputForm.Kind.CSV);
    List<Row<UsageRow>> rows = new ArrayList<>();
    report.getRowsList().forEach(row -> rows.add(Row.of(row, "row", "rows", row)));
    ListOptions options = list.options(invocation);
    if (isText) {
      invocation
          .output()
          .line(
              "%s, %s"
                  .formatted(
                      Period.text(instant(report.getStartTime()), instant(report.getEndTime())),
                      isCost ? "cost" : "GPU-hours"));
    }
    List<Row<UsageRow>> selected = columns.listing().select(rows, options);
    if (isText && selected.size() > 1 && options.filter() == null) {
      selected.add(Row.of(report.getTotal(), "total", "rows", report.getTotal()));
    }
    columns.listing().print(selected, "", options, invocation.output());
    if (isText && !isCost && !allTenants && options.filter() == null) {
      CapacityLines.of(invocation.session().usage().capacity(period.since(), period.until()))
          .forEach(invocation.output()::line);
    }
  }

  private boolean isCost() {
    return switch (unit) {
      case "gpu-hours" -> false;
      case "cost" -> true;
      default ->
          throw new UsageException(
              "--unit %s is no unit".formatted(unit), "BAD_ARGUMENT", "gpu-hours or cost");
    };
  }

  private List<UsageDimension> dimensions() {
    Set<UsageDimension> dimensions = new LinkedHashSet<>();
    for (String word : by) {
      if (!DIMENSIONS.contains(word)) {
        throw new UsageException(
            "--by %s is no field".formatted(word),
            "BAD_ARGUMENT",
            NearestName.suggestion(word, DIMENSIONS).map(hint -> hint + " ").orElse("")
                + "fields: "
                + String.join(", ", DIMENSIONS));
      }
      dimensions.add(UsageDimension.valueOf("USAGE_DIMENSION_" + word.toUpperCase(Locale.ROOT)));
    }
    return List.copyOf(dimensions);
  }

  private static String word(UsageDimension dimension) {
    return dimension.name().substring("USAGE_DIMENSION_".length()).toLowerCase(Locale.ROOT);
  }

  static Instant instant(com.google.protobuf.Timestamp time) {
    return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
  }
}
