package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.sdk.client.EventWatcher;
import io.headgate.sdk.client.JobClient;
import io.headgate.sdk.model.Event;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/// Watches the tenant's events while faults happen. At the end each stored event must have arrived
/// once, in order.
final class EventWitness {
  private final EventWatcher watcher;
  private final List<Long> seen = new CopyOnWriteArrayList<>();
  private final Thread thread = Thread.ofPlatform().name("event-witness").unstarted(this::watch);
  private volatile @Nullable RuntimeException failure;

  /// @param jobs of a tenant that has no events yet
  EventWitness(JobClient jobs) {
    // All events after the first version.
    this.watcher = jobs.watchEvents(1);
    thread.start();
  }

  private void watch() {
    try {
      for (List<Event> next = watcher.next(); next != null; next = watcher.next()) {
        next.forEach(event -> seen.add(event.version()));
      }
    } catch (RuntimeException e) {
      failure = e;
    }
  }

  /// @param written versions of all stored events, in order; no more may follow
  void check(List<Long> written) {
    await()
        .atMost(Schedulers.PATIENCE)
        .until(() -> failure != null || seen.contains(written.getLast()));
    assertThat(failure).as("the watch of events").isNull();
    assertThat(seen).as("events that were watched").containsExactlyElementsOf(written);
  }

  /// Ends the watch.
  void end() throws InterruptedException {
    watcher.close();
    thread.join();
  }
}
