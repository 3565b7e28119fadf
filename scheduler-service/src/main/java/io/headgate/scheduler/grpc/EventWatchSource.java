package io.headgate.scheduler.grpc;

import io.headgate.kit.watch.WatchSource;
import io.headgate.proto.scheduler.v1.Event;
import io.headgate.proto.scheduler.v1.WatchEventsResponse;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.record.JobReader;
import java.util.List;

/// One watcher of events: every one after the version that it has seen, in order, a page when the
/// client has taken the one before.
final class EventWatchSource implements WatchSource<WatchEventsResponse> {
  private final TenantId tenant;
  private final JobReader reader;
  private final FittingPage pages;

  /// @param pageBytes of a message
  EventWatchSource(TenantId tenant, JobReader reader, long pageBytes) {
    this.tenant = tenant;
    this.reader = reader;
    this.pages = new FittingPage(pageBytes);
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
    int rows = pages.rows();
    JobReader.Events read = reader.eventsAfter(tenant, seen, rows);
    List<Event> events = read.events().stream().map(EventMapper::toEvent).toList();
    if (events.isEmpty()) {
      return new Step<>(read.version(), List.of());
    }
    int fitting = pages.fitting(events);
    boolean more = fitting < events.size() || events.size() == rows;
    long version = more ? events.get(fitting - 1).getVersion() : read.version();
    return new Step<>(
        version,
        List.of(
            WatchEventsResponse.newBuilder()
                .setVersion(version)
                .addAllEvents(events.subList(0, fitting))
                .build()),
        more);
  }
}
