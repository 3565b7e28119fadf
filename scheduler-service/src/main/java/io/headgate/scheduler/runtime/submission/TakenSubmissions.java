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

/// What this leader took of late. Callers look in the database first, but what they ask for again
/// because they were not answered in time may not be there yet: taken twice it would make the
/// transaction fail, and the leader with it. Confined to the loop.
public final class TakenSubmissions {
  /// Longer than anybody waits between the look and the leader, and much shorter than anything is
  /// kept: a name that was forgotten since is free again.
  static final Duration REMEMBERED = Duration.ofMinutes(10);

  /// More than can wait to be durable.
  private static final int MAX = 100_000;

  private record Taken(Optional<RequestKey> request, List<JobId> jobs, Instant at) {}

  /// By their ids, whatever their content: the database takes an id once.
  private final Map<String, Taken> requests = new LinkedHashMap<>();

  private final Map<JobName, Taken> names = new LinkedHashMap<>();

  /// What was taken longer ago does not count any more.
  public void forgetOld(Instant now) {
    Instant horizon = now.minus(REMEMBERED);
    forgetOld(requests, horizon);
    forgetOld(names, horizon);
  }

  private static void forgetOld(Map<?, Taken> all, Instant horizon) {
    // In the order in which they were taken.
    Iterator<Taken> oldest = all.values().iterator();
    while (oldest.hasNext() && (oldest.next().at().isBefore(horizon) || all.size() > MAX)) {
      oldest.remove();
    }
  }

  /// The jobs of the same request.
  public Optional<List<JobId>> jobs(RequestKey request) {
    return Optional.ofNullable(requests.get(id(request)))
        .filter(taken -> taken.request().equals(Optional.of(request)))
        .map(Taken::jobs);
  }

  /// Whether the submission asks for a name that a job got, or has the id of a request.
  public boolean hasNameOrIdOf(Submission submission) {
    return submission.request().map(TakenSubmissions::id).filter(requests::containsKey).isPresent()
        || submission.jobs().stream().anyMatch(job -> names.containsKey(job.name()));
  }

  /// The submission was taken.
  ///
  /// @param jobs in its order
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
