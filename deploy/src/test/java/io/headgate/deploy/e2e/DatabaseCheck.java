package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/// Judges a whole run by the scheduler's tables alone. Each query selects violations of one rule.
/// Leaders take their times from the database's clock, because the machines' clocks differ.
final class DatabaseCheck {
  private static final String LIVES =
      """
      with lives as (
        select a.job_id, a.number, a.epoch, a.assigned_at, slice.device, slice.units,
          tstzrange(a.assigned_at, a.ended_at) as life
        from attempt a join attempt_worker w on (w.job_id, w.attempt) = (a.job_id, a.number)
        cross join unnest(w.device_uuids, w.device_units) as slice(device, units))
      """;

  private static final String SHARED =
      LIVES
          + """
          select format('%s: %s.%s %s and %s.%s %s', x.device,
            x.job_id, x.number, x.life, y.job_id, y.number, y.life)
          from lives x join lives y on x.device = y.device and x.life && y.life
          where (x.job_id, x.number) < (y.job_id, y.number) and x.units + y.units > 126000
          """;

  private static final String ABOVE_LIMIT =
      LIVES
          + """
          select format('%s units at %s, when %s.%s was assigned', sum(other.units), one.assigned_at,
            one.job_id, one.number)
          from lives one join lives other on other.life @> one.assigned_at
          group by one.job_id, one.number, one.assigned_at
          having sum(other.units) > 126000::bigint * %d
          """;

  private static final String TWICE =
      LIVES
          + """
          select format('job %s: attempts %s and %s', x.job_id, x.number, y.number)
          from lives x join lives y on x.job_id = y.job_id and x.number < y.number
          where x.life && y.life
          """;

  private static final String EPOCH_FELL =
      """
      select format('epoch %s after %s', epoch, before) from (
        select epoch, lag(epoch) over (order by assigned_at, job_id, number) as before from attempt)
      where epoch < before
      """;

  private static final String OPEN =
      """
      select format('job %s: %s', name, state) from job
      where state not in ('DONE', 'FAILED', 'CANCELLED', 'LOST')
      union all select format('attempt %s.%s has no end', job_id, number) from attempt
      where ended_at is null
      union all select format('hold of %s', job_id) from hold
      """;

  private DatabaseCheck() {}

  /// @param data of the installation
  /// @param limit of the one policy, in GPUs
  static void check(Path data, int port, int limit) throws SQLException, IOException {
    try (Connection connection = connect(data, port)) {
      check(connection, limit);
    }
  }

  /// Makes the checks over a connection to the scheduler's schema.
  static void check(Connection connection, int limit) throws SQLException {
    assertThat(rows(connection, SHARED)).as("slices that two held at once").isEmpty();
    assertThat(rows(connection, ABOVE_LIMIT.replace("%d", Integer.toString(limit))))
        .as("use above the limit")
        .isEmpty();
    assertThat(rows(connection, TWICE)).as("jobs with two attempts at once").isEmpty();
    assertThat(rows(connection, EPOCH_FELL)).as("epochs that fell").isEmpty();
    assertThat(rows(connection, OPEN)).as("what did not end").isEmpty();
  }

  /// Versions of all events of the tenant after the first version, in order.
  static List<Long> events(Path data, int port) throws SQLException, IOException {
    try (Connection connection = connect(data, port)) {
      return rows(
              connection,
              "select version from event where tenant = '%s' and version > 1 order by version"
                  .formatted(TestInstallation.TENANT))
          .stream()
          .map(Long::valueOf)
          .toList();
    }
  }

  /// Connects as the operator of the database, to the scheduler's schema.
  static Connection connect(Path data, int port) throws SQLException, IOException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:" + port + "/headgate?currentSchema=scheduler",
        "headgate",
        Files.readString(data.resolve("pg/password")).strip());
  }

  private static List<String> rows(Connection connection, String query) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery(query)) {
      while (found.next()) {
        rows.add(found.getString(1));
      }
    }
    return rows;
  }
}
