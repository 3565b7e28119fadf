package io.headgate.scheduler.store;

import io.headgate.scheduler.core.job.ArrayElement;
import io.headgate.scheduler.core.job.ArrayPart;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobArray;
import io.headgate.scheduler.core.job.JobEvent;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// How an array stands, in one cell: `size:50 max:5 next:13 waiting:0 active:5 done:6 failed:1
/// cancelled:0`, and `early:20,31` and `closing:CANCEL` where there are such.
final class ArrayRow {
  private ArrayRow() {}

  /// Empty: the job is no array.
  static Optional<String> text(Job job) {
    return job.array()
        .map(array -> {
          JobArray.Tally tally = array.tally();
          String early =
              array.early().stream().map(String::valueOf).collect(Collectors.joining(","));
          return "size:%d max:%d next:%d waiting:%d active:%d done:%d failed:%d cancelled:%d"
                  .formatted(
                      array.size(),
                      array.maxParallel(),
                      array.next(),
                      tally.waiting(),
                      tally.active(),
                      tally.done(),
                      tally.failed(),
                      tally.cancelled())
              + (early.isEmpty() ? "" : " early:" + early)
              + array.closing().map(event -> " closing:" + event).orElse("");
        });
  }

  /// The part of a job in an array.
  ///
  /// @param array id of the array of an element
  /// @param number of the element
  /// @param text how an array stands
  static Optional<ArrayPart> part(
      @Nullable Long array, @Nullable Integer number, @Nullable String text) {
    if (array != null) {
      return Optional.of(new ArrayElement(new JobId(array), Objects.requireNonNull(number)));
    }
    return Optional.ofNullable(text).map(ArrayRow::array);
  }

  private static JobArray array(String text) {
    List<String> cells = Arrays.asList(text.split(" ", -1));
    return new JobArray(
        number(cells, "size"),
        number(cells, "max"),
        number(cells, "next"),
        find(cells, "early").stream()
            .flatMap(each -> Arrays.stream(each.split(",", -1)))
            .map(Integer::valueOf)
            .toList(),
        new JobArray.Tally(
            number(cells, "waiting"),
            number(cells, "active"),
            number(cells, "done"),
            number(cells, "failed"),
            number(cells, "cancelled")),
        find(cells, "closing").map(JobEvent::valueOf));
  }

  private static int number(List<String> cells, String name) {
    return Integer.parseInt(find(cells, name).orElseThrow());
  }

  private static Optional<String> find(List<String> cells, String name) {
    return cells.stream()
        .filter(cell -> cell.startsWith(name + ":"))
        .map(cell -> cell.substring(name.length() + 1))
        .findFirst();
  }

  /// The state of a job in the core. An array is stored as running while an element has an attempt,
  /// as lists show it; the core lets it wait until all elements have ended.
  static JobState inCore(JobState stored, Optional<ArrayPart> part) {
    return stored == JobState.RUNNING && part.filter(JobArray.class::isInstance).isPresent()
        ? JobState.WAITING
        : stored;
  }
}
