package io.headgate.policy.store;

import io.headgate.kit.db.Database;
import io.headgate.kit.db.Notifications;
import java.time.Duration;
import java.util.function.LongConsumer;

/// Hears of changes that other instances of the service commit.
public final class AccessNotices {
  private static final Duration RETRY = Duration.ofSeconds(1);

  private AccessNotices() {}

  /// Tells `committed` each version of the watch, until closed.
  public static Notifications listen(Database database, LongConsumer committed) {
    return Notifications.listen(
        database.dataSource(),
        PostgresAccess.CHANNEL,
        RETRY,
        version -> committed.accept(Long.parseLong(version)));
  }
}
