package io.headgate.sdk.cli.command.usage;

import static io.headgate.sdk.cli.command.usage.GpuHours.amount;

import io.headgate.proto.scheduler.v1.UsageRow;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// The usage of one combination of values in one final period. The period and the values identify
/// it, and its figures never change.
///
/// @param keys values by dimension
record MeteredRow(Instant from, Instant until, Map<String, String> keys, UsageRow usage) {
  /// Kinds of GPU time that are exported, as they are called in every form.
  enum Right {
    ENTITLED,
    OVER,
    ABOVE,
    HELD;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static MeteredRow of(Instant from, Instant until, List<String> dimensions, UsageRow usage) {
    Map<String, String> keys = new LinkedHashMap<>();
    for (int i = 0; i < dimensions.size(); i++) {
      keys.put(dimensions.get(i), usage.getKeys(i));
    }
    return new MeteredRow(from, until, keys, usage);
  }

  /// The GPU time, in the unit of the contract.
  BigInteger time(Right right) {
    return amount(
        switch (right) {
          case ENTITLED -> usage.getEntitled();
          case OVER -> usage.getOverReservation();
          case ABOVE -> usage.getAboveLimit();
          case HELD -> usage.getHeld();
        });
  }

  /// The header of CSV.
  static List<String> columns(List<String> dimensions) {
    List<String> columns = new ArrayList<>(List.of("start", "end"));
    columns.addAll(dimensions);
    for (Right right : Right.values()) {
      columns.add(right.word());
    }
    columns.addAll(List.of("starts", "cost", "currency"));
    return columns;
  }
}
