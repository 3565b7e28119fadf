package io.headgate.sdk.cli.command.usage;

import static io.headgate.sdk.cli.command.usage.GpuHours.amount;

import com.google.protobuf.Duration;
import io.headgate.proto.scheduler.v1.Cost;
import io.headgate.proto.scheduler.v1.UsageRow;
import io.headgate.sdk.cli.output.Cell;
import io.headgate.sdk.cli.output.Column;
import io.headgate.sdk.cli.output.Listing;
import io.headgate.sdk.cli.output.TimeText;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The columns of a usage report.
///
/// @param dimensions what the rows stand for
/// @param isCost only what it costs
/// @param isForPrograms each column has one number: CSV
record UsageColumns(List<String> dimensions, boolean isCost, boolean isForPrograms) {
  UsageColumns {
    dimensions = List.copyOf(dimensions);
  }

  Listing<UsageRow> listing() {
    List<Column<UsageRow>> columns = new ArrayList<>();
    for (int i = 0; i < dimensions.size(); i++) {
      int index = i;
      columns.add(
          Column.of(dimensions.get(i).toUpperCase(Locale.ROOT), row -> Cell.of(key(row, index))));
    }
    if (isCost) {
      columns.add(hours("TOTAL", UsageColumns::used));
      columns.add(cost());
    } else {
      addHours(columns);
    }
    return new Listing<>(
        "usage", List.of("rows"), row -> String.join("/", row.getKeysList()), columns);
  }

  private void addHours(List<Column<UsageRow>> columns) {
    boolean knowsReserved = List.of("policy", "department", "tenant").containsAll(dimensions);
    if (knowsReserved) {
      columns.add(hours("RESERVED", row -> amount(row.getReserved())));
    }
    columns.add(hours("ENTITLED", row -> amount(row.getEntitled())));
    columns.add(hours("OVER", row -> amount(row.getOverReservation())));
    columns.add(hours("ABOVE", row -> amount(row.getAboveLimit())).whenWide());
    columns.add(hours("TOTAL", UsageColumns::used));
    if (knowsReserved) {
      columns.add(
          percent("OF RES.", row -> amount(row.getEntitled()), row -> amount(row.getReserved()))
              .leaving(4));
    }
    columns.add(
        percent("BUSY", row -> amount(row.getBusy()), row -> amount(row.getMeasured())).leaving(3));
    columns.add(hours("HELD", row -> amount(row.getHeld())).whenWide());
    columns.add(hours("LOST", row -> amount(row.getLost())).leaving(2));
    columns.add(
        Column.<UsageRow>of("PREEMPTED", row -> Cell.of(row.getPreemptions()))
            .toRight()
            .sortedBy(UsageRow::getPreemptions)
            .leaving(1));
    columns.add(
        Column.<UsageRow>of("STARTS", row -> Cell.of(row.getStarts()))
            .toRight()
            .sortedBy(UsageRow::getStarts)
            .whenWide());
    if (isForPrograms) {
      columns.add(seconds("WAIT P50", UsageRow::getWaitP50));
      columns.add(seconds("WAIT P99", UsageRow::getWaitP99));
    } else {
      columns.add(
          Column.<UsageRow>of(
                  "WAIT p50/p99",
                  row ->
                      row.hasWaitP50()
                          ? Cell.of(span(row.getWaitP50()) + " / " + span(row.getWaitP99()))
                          : Cell.NONE)
              .toRight());
    }
    columns.add(cost());
  }

  private static Column<UsageRow> seconds(String name, Function<UsageRow, Duration> wait) {
    return Column.<UsageRow>of(name, row -> Cell.of(span(wait.apply(row))))
        .plainly(row -> row.hasWaitP50() ? seconds(wait.apply(row)) : "");
  }

  private static String seconds(Duration time) {
    BigDecimal exact =
        BigDecimal.valueOf(time.getNanos(), 9).add(BigDecimal.valueOf(time.getSeconds()));
    return exact.signum() == 0 ? "0" : exact.stripTrailingZeros().toPlainString();
  }

  private static Column<UsageRow> percent(
      String name, Function<UsageRow, BigInteger> part, Function<UsageRow, BigInteger> whole) {
    return Column.<UsageRow>of(
            name, row -> Cell.of(GpuHours.percent(part.apply(row), whole.apply(row))))
        .toRight()
        .plainly(row -> GpuHours.exactPercent(part.apply(row), whole.apply(row)));
  }

  private String key(UsageRow row, int index) {
    if (row.getKeysCount() > index) {
      return row.getKeys(index);
    }
    return index == 0 ? "total" : "";
  }

  private static BigInteger used(UsageRow row) {
    return amount(row.getEntitled())
        .add(amount(row.getOverReservation()))
        .add(amount(row.getAboveLimit()));
  }

  private static Column<UsageRow> hours(String name, Function<UsageRow, BigInteger> amount) {
    return Column.<UsageRow>of(name, row -> Cell.of(GpuHours.text(amount.apply(row))))
        .toRight()
        .plainly(row -> GpuHours.exact(amount.apply(row)))
        .sortedBy(amount);
  }

  private static Column<UsageRow> cost() {
    return Column.<UsageRow>of("COST", row -> Cell.of(costs(row, 2)))
        .toRight()
        .plainly(row -> costs(row, -1))
        .sortedBy(row ->
            row.getCostsList().stream()
                .map(each -> new BigDecimal(each.getAmount()))
                .reduce(BigDecimal.ZERO, BigDecimal::add));
  }

  /// @param places negative: all
  private static String costs(UsageRow row, int places) {
    return row.getCostsList().stream()
        .map(cost -> cost(cost, places))
        .collect(Collectors.joining(" + "));
  }

  private static String cost(Cost cost, int places) {
    BigDecimal amount = new BigDecimal(cost.getAmount());
    String text =
        places < 0
            ? amount.toPlainString()
            : String.format(Locale.ROOT, "%,.2f", amount.setScale(places, RoundingMode.HALF_EVEN));
    return cost.getCurrency().isEmpty() ? text : text + " " + cost.getCurrency();
  }

  static String span(Duration time) {
    return TimeText.span(java.time.Duration.ofSeconds(time.getSeconds(), time.getNanos()));
  }
}
