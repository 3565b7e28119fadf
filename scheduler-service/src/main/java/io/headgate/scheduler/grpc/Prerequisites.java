package io.headgate.scheduler.grpc;

import io.headgate.kit.failure.Refusal;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.scheduler.core.job.Dependency;
import io.headgate.scheduler.core.job.Dependency.Condition;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.JobReader;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.submission.Prerequisite;
import io.headgate.scheduler.runtime.text.DependencyText;
import io.headgate.type.Viewer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Finds the jobs that new jobs are to wait for. Blocks where they are not in the batch.
final class Prerequisites {
  private final JobReader reader;
  private final SubmissionRequest request;
  private final Viewer viewer;

  /// The jobs of the batch that state an id, by that id.
  private final Map<String, Integer> ids = new HashMap<>();

  private final Map<String, JobRecord> stored = new HashMap<>();

  Prerequisites(JobReader reader, SubmissionRequest request, Viewer viewer) {
    this.reader = reader;
    this.request = request;
    this.viewer = viewer;
    for (int i = 0; i < request.jobs().size(); i++) {
      ids.put(request.jobs().get(i).getJobId(), i);
    }
    ids.remove("");
  }

  static boolean areAsked(SubmissionRequest request) {
    return request.jobs().stream().anyMatch(each -> each.getSpec().getAfterCount() > 0);
  }

  /// The prerequisites of one job of the request.
  ///
  /// @throws io.headgate.kit.failure.RefusalException for an unknown job
  List<Prerequisite> of(int index) {
    List<io.headgate.proto.scheduler.v1.Dependency> after =
        request.jobs().get(index).getSpec().getAfterList();
    List<Prerequisite> found = new ArrayList<>(after.size());
    for (int i = 0; i < after.size(); i++) {
      String job = after.get(i).getJob();
      Condition condition = condition(after.get(i).getCondition());
      Integer sibling = ids.get(job);
      found.add(
          sibling != null
              ? new Prerequisite.InBatch(sibling, condition, job)
              : new Prerequisite.Stored(stored(index, i, job), condition));
    }
    return found;
  }

  private JobRecord stored(int index, int number, String job) {
    return stored.computeIfAbsent(
        job,
        _ -> {
          JobName name = new JobName(request.tenant(), job);
          return reader
              .job(name)
              .filter(known -> JobReads.sees(viewer, known))
              .orElseThrow(() ->
                  Names.jobNotFound(name)
                      .withViolation(
                          request.at(index) + "spec.after[" + number + "].job",
                          "there is no job '%s' to wait for: headgate jobs lists those that there are"
                              .formatted(job))
                      .exception());
        });
  }

  /// Refuses jobs of a batch that wait for each other, or for themselves.
  void demandNoCycle() {
    Set<Integer> done = new LinkedHashSet<>();
    for (int start = 0; start < request.jobs().size(); start++) {
      walk(start, new LinkedHashSet<>(), done);
    }
  }

  /// Depth first, with a stack of its own: a chain may be as long as a batch.
  private void walk(int start, Set<Integer> path, Set<Integer> done) {
    List<Integer> stack = new ArrayList<>(List.of(start));
    while (!stack.isEmpty()) {
      int job = stack.getLast();
      if (done.contains(job)) {
        stack.removeLast();
      } else if (path.contains(job)) {
        path.remove(job);
        done.add(job);
        stack.removeLast();
      } else {
        path.add(job);
        for (int next : siblings(job)) {
          if (path.contains(next)) {
            throw cycle(next, path);
          }
          if (!done.contains(next)) {
            stack.add(next);
          }
        }
      }
    }
  }

  private List<Integer> siblings(int job) {
    return request.jobs().get(job).getSpec().getAfterList().stream()
        .map(after -> ids.get(after.getJob()))
        .filter(index -> index != null)
        .toList();
  }

  private RuntimeException cycle(int first, Set<Integer> path) {
    List<String> names = new ArrayList<>();
    for (int job : path) {
      if (job == first || !names.isEmpty()) {
        names.add(request.jobs().get(job).getJobId());
      }
    }
    String start = request.jobs().get(first).getJobId();
    String text =
        names.size() == 1
            ? "%s waits for itself, so it could never start".formatted(start)
            : "%s, which waits for %s: none of them could ever start"
                .formatted(String.join(" waits for ", names), start);
    return Refusal.failedPrecondition("DEPENDENCY_CYCLE", text)
        .withViolation(request.at(first) + "spec.after", text)
        .exception();
  }

  static Refusal neverMet(String field, Dependency dependency, JobState ended) {
    String text = "the job could never start: " + DependencyText.unmet(dependency, ended);
    Refusal refusal =
        Refusal.failedPrecondition("DEPENDENCY_NEVER_MET", text)
            .withMetadata("job", dependency.name())
            .withMetadata("state", ended);
    return field.isEmpty() ? refusal : refusal.withViolation(field, text);
  }

  private static Condition condition(
      io.headgate.proto.scheduler.v1.Dependency.Condition condition) {
    return switch (condition) {
      case CONDITION_UNSPECIFIED, CONDITION_OK, UNRECOGNIZED -> Condition.OK;
      case CONDITION_ANY -> Condition.ANY;
      case CONDITION_FAIL -> Condition.FAIL;
    };
  }

  /// The records of the jobs that the job still waits for.
  static List<JobRecord> of(JobRecord job, JobReader reader) {
    return job.job().gate().after().isEmpty()
        ? List.of()
        : reader.jobs(job.job().gate().after().stream().map(Dependency::on).toList());
  }

  /// Fields of a request that name the jobs to wait for, for a refusal about one of them.
  static Optional<Integer> number(SubmitJobRequest each, String job) {
    for (int i = 0; i < each.getSpec().getAfterCount(); i++) {
      if (each.getSpec().getAfter(i).getJob().equals(job)) {
        return Optional.of(i);
      }
    }
    return Optional.empty();
  }
}
