package io.headgate.scheduler.grpc;

import io.headgate.kit.watch.WatchSource;
import io.headgate.proto.scheduler.v1.Event;
import io.headgate.proto.scheduler.v1.WatchEventsResponse;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.record.JobReader;
import io.headgate.scheduler.runtime.record.JobReader.EventFilter;
import io.headgate.type.Viewer;
import java.util.List;
import java.util.function.Supplier;

/// One watcher of events: every one after the version that it has seen, in order, a page when the
/// client has taken the one before.
final class EventWatchSource implements WatchSource<WatchEventsResponse> {
  private final TenantId tenant;
  private final JobReader reader;
  private final Supplier<Viewer> viewers;
  private final FittingPage pages;

  /// @param viewers what the watch's caller sees now
  /// @param pageBytes of a message
  EventWatchSource(TenantId tenant, JobReader reader, Supplier<Viewer> viewers, long pageBytes) {
    this.tenant = tenant;
    this.reader = reader;
    this.viewers = viewers;
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
    Viewer viewer = viewers.get();
    EventFilter filter = EventFilter.of(tenant, viewer);
    JobReader.Events read = reader.eventsAfter(filter, seen, pages.rows());
    List<Event> events =
        read.events().stream().map(event -> EventMapper.toEvent(event, viewer)).toList();
    if (events.isEmpty()) {
      return new Step<>(read.version(), List.of(), read.more());
    }
    int fitting = pages.fitting(events);
    boolean isCut = fitting < events.size();
    boolean more = isCut || read.more();
    long version = isCut ? events.get(fitting - 1).getVersion() : read.version();
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
