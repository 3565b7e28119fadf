package io.headgate.kit.db;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Receives the `pg_notify(channel, payload)` notifications of committed transactions.
/// Notifications are hints: while the connection is down they are lost, so the listener must also
/// poll. Occupies one connection of the pool while it runs.
public final class Notifications implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Notifications.class);
  private static final Pattern CHANNEL = Pattern.compile("[a-z][a-z0-9_]{0,62}");
  // Shorter than any sensible socket timeout, so that the next statement detects a dead server.
  private static final Duration WAIT = Duration.ofSeconds(10);
  private static final Duration STOP_BOUND = Duration.ofSeconds(5);

  private final DataSource pool;
  private final String channel;
  private final Consumer<String> listener;
  private final Duration retry;
  private final Thread thread;
  private final CountDownLatch closing = new CountDownLatch(1);

  /// Listens until closed.
  ///
  /// @param listener receives the payloads, on one thread
  /// @param retry delay before the next connection attempt
  public static Notifications listen(
      DataSource pool, String channel, Duration retry, Consumer<String> listener) {
    Notifications notifications = new Notifications(pool, channel, retry, listener);
    notifications.thread.start();
    return notifications;
  }

  private Notifications(
      DataSource pool, String channel, Duration retry, Consumer<String> listener) {
    if (!CHANNEL.matcher(channel).matches()) {
      throw new IllegalArgumentException("channel: '" + channel + "' is not " + CHANNEL);
    }
    this.pool = pool;
    this.channel = channel;
    this.retry = retry;
    this.listener = listener;
    // A virtual thread, because an interrupt ends even its wait for the socket.
    this.thread = Thread.ofVirtual().name("listen-" + channel).unstarted(this::run);
  }

  private void run() {
    try {
      do {
        try (Connection connection = pool.getConnection()) {
          hear(connection);
        } catch (SQLException e) {
          if (!isClosing()) {
            LOG.warn("cannot listen to {}, trying again in {}: {}", channel, retry, e.toString());
          }
        }
      } while (!closing.await(retry.toNanos(), TimeUnit.NANOSECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void hear(Connection connection) throws SQLException {
    PGConnection postgres = connection.unwrap(PGConnection.class);
    try (Statement statement = connection.createStatement()) {
      // The name was checked above; a channel name cannot be a bind variable.
      statement.execute("listen " + channel);
    }
    try {
      while (!isClosing()) {
        @Nullable PGNotification @Nullable [] heard =
            postgres.getNotifications(Math.toIntExact(WAIT.toMillis()));
        if (heard == null || heard.length == 0) {
          // The driver cannot tell silence from a dead connection; a statement can.
          if (!connection.isValid(Math.toIntExact(WAIT.toSeconds()))) {
            return;
          }
          continue;
        }
        for (PGNotification notification : heard) {
          if (notification != null) {
            listener.accept(notification.getParameter());
          }
        }
      }
    } finally {
      forget(connection);
    }
  }

  /// The connection must receive nothing more, so it is not returned to the pool. The early notice
  /// keeps the pool from logging its end as a failure.
  private void forget(Connection connection) throws SQLException {
    if (pool instanceof HikariDataSource hikari) {
      hikari.evictConnection(connection);
    } else {
      connection.abort(Runnable::run);
    }
  }

  private boolean isClosing() {
    return closing.getCount() == 0;
  }

  @Override
  public void close() {
    closing.countDown();
    thread.interrupt();
    try {
      thread.join(STOP_BOUND);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
