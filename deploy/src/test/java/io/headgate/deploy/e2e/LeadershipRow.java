package io.headgate.deploy.e2e;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/// The leader according to the database row that is the lock. A process reports only the state that
/// it saw last, which is seconds old after an outage of the database.
///
/// @param leader empty: no scheduler holds the lease
record LeadershipRow(long epoch, Optional<String> leader) {
  private static final String ROW =
      "select epoch, case when lease_until > clock_timestamp() then leader end from leadership";

  /// @param data of the installation
  /// @throws SQLException the database does not answer
  static LeadershipRow read(Path data, int port) throws SQLException, IOException {
    try (Connection connection = DatabaseCheck.connect(data, port);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(ROW)) {
      row.next();
      return new LeadershipRow(row.getLong(1), Optional.ofNullable(row.getString(2)));
    }
  }
}
