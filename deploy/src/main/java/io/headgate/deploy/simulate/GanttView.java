package io.headgate.deploy.simulate;

import io.headgate.scheduler.simulation.Scenario;
import io.headgate.scheduler.simulation.SimulationEvent;
import io.headgate.scheduler.simulation.SimulationEvent.StopResult;
import io.headgate.scheduler.simulation.Summary;
import io.headgate.sdk.cli.output.AlignedText;
import io.headgate.sdk.cli.output.CellWidth;
import io.headgate.sdk.cli.output.Output;
import io.headgate.sdk.cli.output.Symbols;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Places of jobs as bars over time, one row for each attempt.
///
/// ```text
///               0s        10s       20s
/// a-0:0-2  r-0  ████████████████████
/// a-0:6-8  r-2  ██████████ d
/// ```
record GanttView(Output output) {
  private static final int MOST_ROWS = 200;
  private static final int NARROWEST = 24;
  private static final int USUAL_WIDTH = 80;
  private static final int WIDEST = 100;
  private static final int TICK = 10;

  /// One attempt. Times are milliseconds.
  private static final class Row {
    final String place;
    final String job;
    final long fromMs;
    final boolean wasRunning;
    long stopMs = -1;
    long toMs = -1;
    String note = "";

    Row(String place, String job, long fromMs, boolean wasRunning) {
      this.place = place;
      this.job = job;
      this.fromMs = fromMs;
      this.wasRunning = wasRunning;
    }
  }

  List<String> lines(Recording recording) {
    List<Row> rows = rows(recording);
    long endMs = Math.max(1, recording.summary().untilMs());
    List<Row> shown = rows.subList(0, Math.min(MOST_ROWS, rows.size()));
    int placeWidth = shown.stream().mapToInt(row -> CellWidth.of(row.place)).max().orElse(5);
    int jobWidth = shown.stream().mapToInt(row -> CellWidth.of(row.job)).max().orElse(3);
    int noteWidth = shown.stream().mapToInt(row -> CellWidth.of(row.note)).max().orElse(0);
    int width = output.terminal() ? output.width().getAsInt() : USUAL_WIDTH;
    int bar =
        Math.clamp(width - placeWidth - jobWidth - noteWidth - 6, NARROWEST, WIDEST) / TICK * TICK;
    List<String> lines = new ArrayList<>();
    lines.add(" ".repeat(placeWidth + jobWidth + 4) + axis(endMs, bar));
    for (Row row : shown) {
      lines.add(
          (CellWidth.pad(row.place, placeWidth)
                  + "  "
                  + CellWidth.pad(row.job, jobWidth)
                  + "  "
                  + bar(row, endMs, bar)
                  + (row.note.isEmpty() ? "" : " " + row.note))
              .stripTrailing());
    }
    if (rows.size() > shown.size()) {
      lines.add("and %d more attempts: --view timeline".formatted(rows.size() - shown.size()));
    }
    lines.add("");
    lines.add(legend(shown));
    lines.add("");
    lines.addAll(policies(recording));
    return lines;
  }

  /// Explains only the signs that occur.
  private String legend(List<Row> rows) {
    List<String> signs = new ArrayList<>();
    signs.add(runs() + " runs");
    if (rows.stream().anyMatch(row -> row.stopMs >= 0)) {
      signs.add(stops() + " is being stopped for the job whose name follows");
    }
    if (rows.stream().anyMatch(row -> row.wasRunning)) {
      signs.add("< ran before 0s");
    }
    return String.join("   ", signs);
  }

  private String runs() {
    return isAscii() ? "#" : "█";
  }

  private String stops() {
    return isAscii() ? "=" : "▓";
  }

  private boolean isAscii() {
    return output.symbols().equals(Symbols.ASCII);
  }

  private static List<Row> rows(Recording recording) {
    List<Row> rows = new ArrayList<>();
    Map<String, Row> open = new LinkedHashMap<>();
    for (Scenario.Running running : recording.scenario().running()) {
      Row row = new Row(Words.place(running.place()), running.job().name(), 0, true);
      rows.add(row);
      open.put(row.job, row);
    }
    for (SimulationEvent event : recording.events()) {
      switch (event) {
        case SimulationEvent.Start start -> {
          Row row = new Row(Words.place(start.place()), start.job(), start.atMs(), false);
          rows.add(row);
          open.put(row.job, row);
        }
        case SimulationEvent.Preempt preempt -> {
          Row row = open.get(preempt.job());
          if (row != null) {
            row.stopMs = preempt.atMs();
            row.note = preempt.by();
          }
        }
        case SimulationEvent.Stop stop -> close(open.remove(stop.job()), stop.atMs(), note(stop));
        case SimulationEvent.Finish finish ->
            close(open.remove(finish.job()), finish.atMs(), Optional.empty());
        case SimulationEvent.Wait _,
            SimulationEvent.Cancel _,
            SimulationEvent.Draft _,
            SimulationEvent.OfPool _ -> {}
      }
    }
    rows.sort(Comparator.comparing((Row row) -> row.place).thenComparingLong(row -> row.fromMs));
    return rows;
  }

  private static Optional<String> note(SimulationEvent.Stop stop) {
    return stop.outcome() == StopResult.REQUEUED
        ? Optional.empty()
        : Optional.of(stop.outcome().name().toLowerCase(Locale.ROOT));
  }

  private static void close(@Nullable Row row, long atMs, Optional<String> note) {
    if (row != null) {
      row.toMs = atMs;
      row.note = row.note.isEmpty() ? note.orElse("") : row.note;
    }
  }

  /// A time every ten columns, where there is room for it.
  private static String axis(long endMs, int width) {
    StringBuilder axis = new StringBuilder();
    for (int column = 0; column <= width; column += TICK) {
      if (axis.length() <= column) {
        axis.append(" ".repeat(column - axis.length()));
        axis.append(Words.span(endMs * column / width)).append(' ');
      }
    }
    return axis.toString().stripTrailing();
  }

  private String bar(Row row, long endMs, int width) {
    int from = (int) (row.fromMs * width / endMs);
    long toMs = row.toMs < 0 ? endMs : row.toMs;
    int to = Math.max(from + 1, (int) (toMs * width / endMs));
    int stop = row.stopMs < 0 ? to : Math.max(from, (int) (row.stopMs * width / endMs));
    StringBuilder bar = new StringBuilder(" ".repeat(from));
    for (int column = from; column < to; column++) {
      boolean stops = column >= stop && row.toMs > row.stopMs;
      bar.append(stops ? stops() : runs());
    }
    if (row.wasRunning && from == 0) {
      bar.setCharAt(0, '<');
    }
    return bar.toString();
  }

  private List<String> policies(Recording recording) {
    Summary summary = recording.summary();
    List<List<String>> rows = new ArrayList<>();
    for (Summary.PolicyLine policy : summary.policies()) {
      rows.add(
          List.of(
              policy.name(),
              "%s of reservation %s, limit %s"
                  .formatted(
                      policy.usage().mixed(),
                      policy.reservation().mixed(),
                      policy.limit().mixed())));
    }
    List<String> lines = new ArrayList<>(AlignedText.lines(rows));
    lines.add(
        "preemptions %d, finished %d, running %d, waiting %d; %s"
            .formatted(
                summary.preemptions(),
                summary.finished(),
                summary.running(),
                summary.waiting(),
                summary.isAtRest()
                    ? "fixed point reached: five more passes change nothing"
                    : "more would happen after " + Words.span(summary.untilMs())));
    return lines;
  }
}
