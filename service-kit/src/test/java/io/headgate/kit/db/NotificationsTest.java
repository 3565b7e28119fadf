package io.headgate.kit.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.kit.testing.PostgresFixture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class NotificationsTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("shelf");

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final List<String> heard = new CopyOnWriteArrayList<>();

  @Test
  void hearsWhatOthersSayWhenTheyCommit() {
    try (var _ = listen()) {
      awaitHeard("hello");
    }
  }

  @Test
  void listensAgainAfterItsConnectionWasCut() {
    try (var _ = listen()) {
      awaitHeard("before");
      POSTGRES
          .database()
          .jooq()
          .fetch(
              "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %'");
      awaitHeard("after");
    }
  }

  @Test
  void givesItsConnectionBackWhenItStops() {
    Notifications notifications = listen();
    awaitHeard("hello");
    notifications.close();
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(POSTGRES.database().usage().active()).isZero());
  }

  private Notifications listen() {
    return Notifications.listen(
        POSTGRES.database().dataSource(), "shelf_changed", Duration.ofMillis(20), heard::add);
  }

  /// Says it until it is heard: what is said before the listener is there is lost.
  private void awaitHeard(String word) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> {
          POSTGRES.database().jooq().fetch("select pg_notify('shelf_changed', ?)", word);
          assertThat(heard).contains(word);
        });
  }
}
