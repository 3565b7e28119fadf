package io.headgate.sdk.client;

import io.headgate.proto.scheduler.v1.WatchEventsResponse;
import io.headgate.sdk.model.Event;
import io.headgate.sdk.wire.EventMessages;
import io.headgate.sdk.wire.EventWatch;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Events as they happen, over any number of connections. One thread reads; any thread may close.
public final class EventWatcher implements AutoCloseable {
  private final EventWatch watch;

  EventWatcher(EventWatch watch) {
    this.watch = watch;
  }

  /// The next events, oldest first, possibly none; null after [#close].
  public @Nullable List<Event> next() {
    WatchEventsResponse step = watch.next();
    return step == null ? null : step.getEventsList().stream().map(EventMessages::event).toList();
  }

  @Override
  public void close() {
    watch.close();
  }
}
