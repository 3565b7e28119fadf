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
record UsageColumns(List<String> dimensions, boolean isCost) {
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
          Column.<UsageRow>of(
                  "OF RES.",
                  row ->
                      Cell.of(
                          GpuHours.percent(amount(row.getEntitled()), amount(row.getReserved()))))
              .toRight()
              .leaving(4));
    }
    columns.add(
        Column.<UsageRow>of(
                "BUSY",
                row -> Cell.of(GpuHours.percent(amount(row.getBusy()), amount(row.getMeasured()))))
            .toRight()
            .leaving(3));
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
    columns.add(
        Column.<UsageRow>of(
                "WAIT p50/p99",
                row ->
                    row.hasWaitP50()
                        ? Cell.of(span(row.getWaitP50()) + " / " + span(row.getWaitP99()))
                        : Cell.NONE)
            .toRight());
    columns.add(cost());
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
