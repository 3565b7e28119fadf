package io.headgate.sdk.cli.output;

import io.headgate.type.GpuQuantity;
import java.util.Comparator;
import java.util.Locale;
import java.util.function.Function;

/// One column of a list.
///
/// @param wide shown with `-o wide` and by name only
/// @param right aligned to the right
/// @param flexible shortened first on a narrow terminal
/// @param leaves order in which columns are dropped on a narrow terminal: 1 goes first; 0: never
/// @param plain the value without decoration, for CSV and filters
/// @param order order for `--sort`
public record Column<T>(
    String name,
    boolean wide,
    boolean right,
    boolean flexible,
    int leaves,
    Function<T, Cell> cell,
    Function<T, String> plain,
    Comparator<T> order) {
  public static <T> Column<T> of(String name, Function<T, Cell> cell) {
    Function<T, String> plain = row -> cell.apply(row).text();
    return new Column<>(name, false, false, false, 0, cell, plain, Comparator.comparing(plain));
  }

  /// A quantity of GPUs, aligned to the right.
  public static <T> Column<T> ofGpus(String name, Function<T, GpuQuantity> quantity) {
    return new Column<>(
        name,
        false,
        true,
        false,
        0,
        row -> Cell.of(quantity.apply(row).mixed()),
        row -> quantity.apply(row).toString(),
        Comparator.comparing(quantity));
  }

  public Column<T> whenWide() {
    return new Column<>(name, true, right, flexible, leaves, cell, plain, order);
  }

  public Column<T> toRight() {
    return new Column<>(name, wide, true, flexible, leaves, cell, plain, order);
  }

  public Column<T> givingWay() {
    return new Column<>(name, wide, right, true, leaves, cell, plain, order);
  }

  /// Marks the column as one that a narrow terminal drops.
  ///
  /// @param order 1 goes before 2
  public Column<T> leaving(int order) {
    return new Column<>(name, wide, right, flexible, order, cell, plain, this.order);
  }

  public Column<T> plainly(Function<T, String> value) {
    return new Column<>(
        name, wide, right, flexible, leaves, cell, value, Comparator.comparing(value));
  }

  public <K extends Comparable<K>> Column<T> sortedBy(Function<T, K> key) {
    return new Column<>(
        name, wide, right, flexible, leaves, cell, plain, Comparator.comparing(key));
  }

  /// The column's name in flags: `job`, `where`.
  public String key() {
    int end = name.indexOf(" /");
    String word = end < 0 ? name : name.substring(0, end);
    return word.toLowerCase(Locale.ROOT).replace(' ', '-');
  }
}
