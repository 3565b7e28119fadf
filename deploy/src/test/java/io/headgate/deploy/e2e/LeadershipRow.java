package io.headgate.deploy.e2e;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/// Who leads, as the row says that is the lock. What a process says about it is what the process
/// saw last: one that was without a database for a while tries again only seconds later.
///
/// @param leader empty: nobody holds the lease
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
