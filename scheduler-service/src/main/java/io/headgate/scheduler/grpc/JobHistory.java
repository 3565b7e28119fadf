package io.headgate.scheduler.grpc;

import io.headgate.proto.scheduler.v1.Event;
import io.headgate.scheduler.runtime.record.EventRecord;
import io.headgate.scheduler.runtime.record.JobReader;
import io.headgate.scheduler.runtime.record.JobReader.EventFilter;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.type.Viewer;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/// The events of a job, and those of other jobs that made room for it, for one reader. Oldest
/// first.
///
/// @param own events about the job, the last [#EVENTS]
/// @param madeRoom preemptions and moves of other jobs, the last [#VICTIMS]
record JobHistory(List<Event> own, List<Event> madeRoom) {
  private static final int EVENTS = 50;
  private static final int VICTIMS = 10;

  /// @param viewer sees the job
  static JobHistory read(JobReader reader, JobRecord job, Viewer viewer) {
    List<EventRecord> own =
        events(reader, EventFilter.of(job.tenant(), job.id(), Viewer.OF_ALL), EVENTS);
    List<EventRecord> victims = events(reader, madeRoom(job, Viewer.OF_ALL), VICTIMS);
    Set<Long> seen = new HashSet<>();
    if (!victims.isEmpty()) {
      events(reader, madeRoom(job, viewer), VICTIMS).forEach(event -> seen.add(event.version()));
    }
    return new JobHistory(
        own.reversed().stream().map(event -> EventMapper.toEvent(event, viewer)).toList(),
        victims.reversed().stream()
            .map(event ->
                seen.contains(event.version())
                    ? EventMapper.toEvent(event, viewer)
                    : EventMapper.ofUnseenVictim(event))
            .toList());
  }

  private static List<EventRecord> events(JobReader reader, EventFilter filter, int most) {
    return reader.events(filter, OptionalLong.empty(), most).events();
  }

  /// A job that was deleted may have had the same id, so nothing before the submission counts.
  private static EventFilter madeRoom(JobRecord job, Viewer viewer) {
    return new EventFilter(
        job.tenant(),
        Optional.empty(),
        Optional.of(job.job().submittedAt()),
        "",
        job.name().id(),
        true,
        viewer);
  }
}
