package io.headgate.scheduler.grpc;

import io.headgate.kit.watch.WatchSource;
import io.headgate.proto.scheduler.v1.WatchEventsResponse;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.record.EventRecord;
import io.headgate.scheduler.runtime.record.JobReader;
import java.util.ArrayList;
import java.util.List;

/// One watcher of events: every one after the version that it has seen, in order.
final class EventWatchSource implements WatchSource<WatchEventsResponse> {
  /// Events of one message.
  private static final int PAGE = 500;

  private final TenantId tenant;
  private final JobReader reader;

  EventWatchSource(TenantId tenant, JobReader reader) {
    this.tenant = tenant;
    this.reader = reader;
  }

  @Override
  public WatchEventsResponse alive(long version) {
    return WatchEventsResponse.newBuilder().setVersion(version).build();
  }

  @Override
  public Step<WatchEventsResponse> read(long seen) {
    if (seen == 0) {
      // A new watch starts at the current version and sends only later events.
      return new Step<>(reader.version(), List.of());
    }
    List<WatchEventsResponse> messages = new ArrayList<>();
    long version = seen;
    boolean more = true;
    while (more) {
      JobReader.Events page = reader.eventsAfter(tenant, version, PAGE);
      List<EventRecord> events = page.events();
      more = events.size() == PAGE;
      version = more ? events.getLast().version() : page.version();
      if (!events.isEmpty()) {
        messages.add(
            WatchEventsResponse.newBuilder()
                .setVersion(version)
                .addAllEvents(events.stream().map(EventMapper::toEvent).toList())
                .build());
      }
    }
    return new Step<>(version, messages);
  }
}
