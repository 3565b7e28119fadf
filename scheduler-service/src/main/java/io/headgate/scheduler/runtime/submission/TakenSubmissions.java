package io.headgate.scheduler.runtime.submission;

import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.submission.Submission.RequestKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The submissions that this leader took recently. Callers look in the database first. A retry
/// after a timeout may find nothing there yet, because the first submission is still in flight.
/// Taken twice, it would fail the transaction and end the leader. Confined to the loop.
public final class TakenSubmissions {
  /// Longer than any wait between the lookup and the leader. Much shorter than the retention of
  /// jobs, because a name that was deleted meanwhile is free again.
  static final Duration REMEMBERED = Duration.ofMinutes(10);

  /// Exceeds the number of submissions that can be in flight.
  private static final int MAX = 100_000;

  private record Taken(Optional<RequestKey> request, List<JobId> jobs, Instant at) {}

  /// Keyed by request id alone, whatever the fingerprint: the database accepts an id once.
  private final Map<String, Taken> requests = new LinkedHashMap<>();

  private final Map<JobName, Taken> names = new LinkedHashMap<>();

  /// Forgets submissions older than [#REMEMBERED].
  public void forgetOld(Instant now) {
    Instant horizon = now.minus(REMEMBERED);
    forgetOld(requests, horizon);
    forgetOld(names, horizon);
  }

  private static void forgetOld(Map<?, Taken> all, Instant horizon) {
    // The maps iterate in the order of submission.
    Iterator<Taken> oldest = all.values().iterator();
    while (oldest.hasNext() && (oldest.next().at().isBefore(horizon) || all.size() > MAX)) {
      oldest.remove();
    }
  }

  /// The jobs of an identical request; empty: none is remembered.
  public Optional<List<JobId>> jobs(RequestKey request) {
    return Optional.ofNullable(requests.get(id(request)))
        .filter(taken -> taken.request().equals(Optional.of(request)))
        .map(Taken::jobs);
  }

  /// Whether the submission has the name of a remembered job, or the id of a remembered request.
  public boolean hasNameOrIdOf(Submission submission) {
    return submission.request().map(TakenSubmissions::id).filter(requests::containsKey).isPresent()
        || submission.jobs().stream().anyMatch(job -> names.containsKey(job.name()));
  }

  /// Remembers a submission.
  ///
  /// @param jobs ids of its jobs, in the submission's order
  public void take(Submission submission, List<JobId> jobs, Instant now) {
    Taken taken = new Taken(submission.request(), List.copyOf(jobs), now);
    submission.request().ifPresent(request -> requests.put(id(request), taken));
    submission.jobs().forEach(job -> names.put(job.name(), taken));
    forgetOld(now);
  }

  private static String id(RequestKey request) {
    return KnownKeys.key(request.subject(), request.requestId());
  }
}
