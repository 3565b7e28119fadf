package io.headgate.sdk.cli.command.usage;

import static io.headgate.sdk.cli.command.usage.GpuHours.amount;

import io.headgate.proto.scheduler.v1.UsageRow;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The usage of one combination of values in one final period. The period and the values identify
/// it, and its figures never change.
///
/// @param keys values by dimension
record MeteredRow(Instant from, Instant until, Map<String, String> keys, UsageRow usage) {
  /// Kinds of GPU time that are exported.
  enum Kind {
    ENTITLED("entitled", "entitled"),
    OVER("over", "over_reservation"),
    ABOVE("above", "above_limit"),
    HELD("held", "held");

    /// As the columns of `headgate usage` are called.
    final String column;

    /// As the attribute `headgate.usage.kind` of metrics has it.
    final String metric;

    Kind(String column, String metric) {
      this.column = column;
      this.metric = metric;
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
  BigInteger time(Kind kind) {
    return amount(
        switch (kind) {
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
    for (Kind kind : Kind.values()) {
      columns.add(kind.column);
    }
    columns.addAll(List.of("starts", "cost", "currency"));
    return columns;
  }
}
