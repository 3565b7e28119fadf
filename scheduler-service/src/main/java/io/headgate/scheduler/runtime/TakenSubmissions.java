package io.headgate.scheduler.runtime;

import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.runtime.Submission.RequestKey;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What this leader took of late. Callers look in the database first, but what they ask for again
/// because they were not answered in time may not be there yet: taken twice it would make the
/// transaction fail, and the leader with it. Confined to the loop.
final class TakenSubmissions {
  /// More than can wait to be durable.
  private static final int REMEMBERED = 100_000;

  private final Map<RequestKey, List<JobId>> requests = new LinkedHashMap<>();
  private final Set<JobName> names = new LinkedHashSet<>();

  /// The jobs of the same request.
  Optional<List<JobId>> jobs(RequestKey request) {
    return Optional.ofNullable(requests.get(request));
  }

  /// Whether the submission asks for a name that a job got.
  boolean hasNameOf(Submission submission) {
    return submission.jobs().stream().anyMatch(job -> names.contains(job.name()));
  }

  /// The submission was taken.
  ///
  /// @param jobs in its order
  void take(Submission submission, List<JobId> jobs) {
    submission.request().ifPresent(request -> requests.put(request, List.copyOf(jobs)));
    submission.jobs().forEach(job -> names.add(job.name()));
    forgetOldest(requests.keySet());
    forgetOldest(names);
  }

  private static void forgetOldest(Set<?> all) {
    var oldest = all.iterator();
    for (int i = all.size(); i > REMEMBERED; i--) {
      oldest.next();
      oldest.remove();
    }
  }
}
