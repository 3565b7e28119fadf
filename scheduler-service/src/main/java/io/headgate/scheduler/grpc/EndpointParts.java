package io.headgate.scheduler.grpc;

import io.headgate.kit.grpc.PageTokens;
import io.headgate.kit.time.TimeSource;
import io.headgate.scheduler.runtime.catalog.StoredRights;
import io.headgate.scheduler.runtime.leadership.LeaderDoor;
import io.headgate.scheduler.runtime.record.JobReader;
import io.headgate.scheduler.runtime.record.Retention;
import io.headgate.scheduler.runtime.submission.KnownKeys;
import io.headgate.scheduler.runtime.submission.NameAllocator;
import java.util.Optional;
import java.util.function.Supplier;

/// The collaborators that the endpoints share.
///
/// @param requests remembers the ids of submissions already accepted
/// @param retention of jobs that are over
/// @param copies bounds the answers that are computed on copies of the core
/// @param forecasts bounds the forecasts computed for explanations
/// @param traceparent of the call that is being served
/// @param rights for reads while this replica does not lead
public record EndpointParts(
    LeaderDoor door,
    JobReader reader,
    NameAllocator names,
    KnownKeys requests,
    PageTokens pages,
    TimeSource time,
    Retention retention,
    CopyBound copies,
    CopyBound forecasts,
    Supplier<Optional<String>> traceparent,
    StoredRights rights) {
  Viewers viewers() {
    return new Viewers(door, rights);
  }
}
