package io.headgate.scheduler.grpc;

import io.headgate.kit.failure.Refusal;
import io.headgate.scheduler.runtime.leadership.LeaderDoor;
import io.headgate.scheduler.runtime.record.Batch.RequestRecord;
import io.headgate.scheduler.runtime.record.JobReader;
import io.headgate.scheduler.runtime.record.JobView;
import io.headgate.scheduler.runtime.submission.CallerThread;
import io.headgate.scheduler.runtime.submission.KnownKeys;
import io.headgate.scheduler.runtime.submission.Submission.RequestKey;
import io.headgate.scheduler.runtime.submission.WouldBlockException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/// Requests with a request id. A request id is claimed by one submission at a time, and a stored
/// one is answered with the jobs of the first request. The kit's log of requests is not used,
/// because many submissions share one transaction of the leader. Thread-safe.
final class RepeatedRequests {
  /// Longest wait for another submission with the same request id.
  private static final Duration PATIENCE = Duration.ofSeconds(25);

  private final LeaderDoor door;
  private final JobReader reader;
  private final KnownKeys known;
  private final Map<Id, CompletableFuture<Void>> claims = new ConcurrentHashMap<>();

  private record Id(String subject, String requestId) {
    static Id of(RequestKey key) {
      return new Id(key.subject(), key.requestId());
    }
  }

  RepeatedRequests(EndpointParts parts) {
    this.door = parts.door();
    this.reader = parts.reader();
    this.known = parts.requests();
  }

  /// Claims the request's id.
  ///
  /// @return empty: it is claimed, and the caller must [release][#release] it. Otherwise another
  ///   submission has it: completes when that one is over, and fails with a refusal when that takes
  ///   too long
  Optional<CompletableFuture<Void>> claim(RequestKey key) {
    CompletableFuture<Void> other = claims.putIfAbsent(Id.of(key), new CompletableFuture<>());
    return Optional.ofNullable(other)
        .map(running ->
            running
                .copy()
                .orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                .exceptionallyCompose(
                    _ -> CompletableFuture.failedFuture(stillAnswered().exception())));
  }

  /// Ends the claim: the submission is durable or has failed for good.
  void release(RequestKey key) {
    CompletableFuture<Void> claim = claims.remove(Id.of(key));
    if (claim != null) {
      claim.complete(null);
    }
  }

  private static Refusal stillAnswered() {
    return Refusal.unavailable(
        "LEADER_CHANGED", "the same request is still being answered", Duration.ofSeconds(1));
  }

  /// The jobs of an earlier request with this id; empty: there is none. Queries the database only
  /// for an id that may be stored. Called once for each claim.
  ///
  /// @throws WouldBlockException the database must decide, and the thread must not block
  /// @throws io.headgate.kit.failure.RefusalException the earlier request had other content
  Optional<List<JobView>> earlier(RequestKey key, CallerThread thread) {
    door.leadership()
        .filter(leadership -> !known.isUnder(leadership))
        .ifPresent(leadership -> {
          thread.demandMayBlock();
          known.under(leadership);
        });
    if (known.isNew(KnownKeys.key(key.subject(), key.requestId()))) {
      return Optional.empty();
    }
    thread.demandMayBlock();
    return stored(key);
  }

  /// The jobs of a stored request with this id; empty: there is none. Queries the database.
  ///
  /// @throws io.headgate.kit.failure.RefusalException the stored request had other content
  Optional<List<JobView>> stored(RequestKey key) {
    Optional<RequestRecord> found = reader.request(key.subject(), key.requestId());
    if (found.isEmpty()) {
      return Optional.empty();
    }
    if (!found.get().fingerprint().equals(key.fingerprint())) {
      throw Refusal.invalidField(
              "REQUEST_ID_REUSED",
              "request_id",
              "'%s' was the id of a request with other content: use a new one for each request"
                  .formatted(key.requestId()))
          .withMetadata("requestId", key.requestId())
          .exception();
    }
    Map<Long, JobView> byId = new HashMap<>();
    var attempts = reader.lastAttempts(found.get().jobs());
    for (var job : reader.jobs(found.get().jobs())) {
      byId.put(job.id().value(), JobView.of(job, Optional.ofNullable(attempts.get(job.id()))));
    }
    return Optional.of(
        found.get().jobs().stream()
            .map(job -> byId.get(job.value()))
            .filter(Objects::nonNull)
            .toList());
  }
}
