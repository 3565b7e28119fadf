package io.headgate.policy.store;

import io.headgate.kit.db.Database;
import io.headgate.kit.db.Notifications;
import java.time.Duration;
import java.util.function.LongConsumer;

/// Listens for the commits of other instances of the service.
public final class AccessNotices {
  private static final Duration RETRY = Duration.ofSeconds(1);

  private AccessNotices() {}

  /// Passes each version of the revocations to `committed`, until closed.
  public static Notifications ofRevocations(Database database, LongConsumer committed) {
    return Notifications.listen(
        database.dataSource(),
        PostgresRevocations.CHANNEL,
        RETRY,
        version -> committed.accept(Long.parseLong(version)));
  }

  /// Passes each version of the watch to `committed`, until closed.
  public static Notifications listen(Database database, LongConsumer committed) {
    return Notifications.listen(
        database.dataSource(),
        PostgresAccess.CHANNEL,
        RETRY,
        version -> committed.accept(Long.parseLong(version)));
  }
}
