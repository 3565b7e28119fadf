package io.headgate.deploy.simulate.replay;

import io.headgate.deploy.simulate.trace.TraceException;
import io.headgate.deploy.simulate.trace.TraceTable;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// A job of the Philly trace.
///
/// @param submitted by the cluster's clock
/// @param gpus whole GPUs, at least 1
/// @param cluster the virtual cluster, which stands for its tenant
public record PhillyJob(LocalDateTime submitted, Duration runs, int gpus, String cluster) {
  private static final int MOST_GPUS = 100_000;
  private static final BigDecimal MOST_SECONDS = BigDecimal.valueOf(1_000_000_000);
  private static final Pattern SECONDS = Pattern.compile("[0-9]{1,12}(\\.[0-9]{1,9})?");
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");

  /// Reads the file.
  ///
  /// @param lines of the file, the first with the names of the columns
  /// @throws TraceException when a line cannot be used
  public static List<PhillyJob> parse(List<String> lines) throws TraceException {
    TraceTable table = new TraceTable(lines, "timestamp", "duration", "num_gpus", "cluster");
    List<PhillyJob> jobs = new ArrayList<>();
    for (int i = 0; i < table.size(); i++) {
      TraceTable.Row row = table.row(i);
      if (row.text("cluster").isEmpty()) {
        throw row.refusal("cluster", "the name of a virtual cluster");
      }
      jobs.add(
          new PhillyJob(
              time(row),
              runs(row),
              (int) row.number("num_gpus", 1, MOST_GPUS),
              row.text("cluster")));
    }
    return jobs;
  }

  private static LocalDateTime time(TraceTable.Row row) throws TraceException {
    try {
      return LocalDateTime.parse(row.text("timestamp"), TIME);
    } catch (DateTimeParseException e) {
      throw row.refusal("timestamp", "a time such as 2017-10-09 07:01:55");
    }
  }

  private static Duration runs(TraceTable.Row row) throws TraceException {
    String text = row.text("duration");
    if (!SECONDS.matcher(text).matches() || new BigDecimal(text).compareTo(MOST_SECONDS) > 0) {
      throw row.refusal("duration", "seconds, from 0 to " + MOST_SECONDS);
    }
    return Duration.ofMillis(
        new BigDecimal(text).movePointRight(3).setScale(0, RoundingMode.HALF_UP).longValueExact());
  }
}
