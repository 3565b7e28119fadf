package io.headgate.scheduler.grpc;

import io.headgate.kit.failure.Refusal;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.catalog.FreshCatalog;
import io.headgate.scheduler.runtime.desk.Command.SubmitReply;
import io.headgate.scheduler.runtime.desk.WaitingBounds;
import io.headgate.scheduler.runtime.leadership.LeaderDoor;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.JobReader;
import io.headgate.scheduler.runtime.record.JobView;
import io.headgate.scheduler.runtime.record.NameCounter;
import io.headgate.scheduler.runtime.submission.CallerThread;
import io.headgate.scheduler.runtime.submission.NameAllocator;
import io.headgate.scheduler.runtime.submission.Submission;
import io.headgate.scheduler.runtime.submission.Submission.NewJob;
import io.headgate.scheduler.runtime.submission.Submission.RequestKey;
import io.headgate.scheduler.runtime.submission.WouldBlockException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;

/// Takes submissions: checks them, names the jobs, and hands them to the leader, all jobs of a
/// request or none. A submission passes these steps:
///
/// 1. It claims its request id. A repeated request waits for the first one and gets its jobs.
/// 2. Its jobs are checked against the catalog known here, and named.
/// 3. The leader takes it, and answers when it is durable.
/// 4. If the catalog speaks against it, steps 2 and 3 are repeated with the services' current
///    catalog.
///
/// Two of these wait for more than the leader, on a thread that may block: the look-up of a request
/// id or name that may be stored already, and the fetch of the current catalog. Most submissions
/// need neither and stay on the thread that began them. Thread-safe.
final class Submissions {
  private final LeaderDoor door;
  private final CatalogJudge judge;
  private final SubmissionRules rules;
  private final NameAllocator names;
  private final RepeatedRequests requests;
  private final Overdue<SubmitReply> overdue;
  private final JobReader reader;

  Submissions(EndpointParts parts, CatalogJudge judge, SubmissionRules rules) {
    this.door = parts.door();
    this.judge = judge;
    this.rules = rules;
    this.names = parts.names();
    this.reader = parts.reader();
    this.requests = new RepeatedRequests(parts);
    this.overdue = new Overdue<>(LeaderDoor.PATIENCE, parts.time());
  }

  /// Submits all jobs of the request or none. Completes on any thread, which must not be blocked,
  /// with the durable jobs in the order of the request. Fails with a
  /// [io.headgate.kit.failure.RefusalException] if they are refused or their outcome is unknown.
  ///
  /// @param thread what the calling thread may do
  /// @param blocking runs what may block
  CompletableFuture<List<JobView>> submit(
      SubmissionRequest request, CallerThread thread, Executor blocking) {
    return new Pending(request, request.key(), blocking).begin(thread);
  }

  /// A submission on its way. Its steps follow each other, on several threads.
  private final class Pending {
    private final SubmissionRequest request;
    private final Optional<RequestKey> key;
    private final Executor blocking;

    /// The leader's reply to the last offer. It comes even when the caller waits no more.
    private CompletableFuture<?> offered = CompletableFuture.completedFuture(null);

    /// How often jobs to wait for may still end while they are looked at.
    private int triesLeft = 20;

    Pending(SubmissionRequest request, Optional<RequestKey> key, Executor blocking) {
      this.request = request;
      this.key = key;
      this.blocking = blocking;
    }

    CompletableFuture<List<JobView>> begin(CallerThread thread) {
      return key.isPresent() ? beginOnce(key.get(), thread) : judged(thread);
    }

    private CompletableFuture<List<JobView>> beginOnce(RequestKey id, CallerThread thread) {
      Optional<CompletableFuture<Void>> other = requests.claim(id);
      if (other.isPresent()) {
        // If the other submission stored jobs, they are in the database now. If not, this one may
        // claim the request id.
        return other
            .get()
            .thenComposeAsync(
                _ ->
                    requests
                        .stored(id)
                        .map(CompletableFuture::completedFuture)
                        .orElseGet(() -> beginOnce(id, CallerThread.MAY_BLOCK)),
                blocking);
      }
      return step(
              thread,
              here ->
                  requests
                      .earlier(id, here)
                      .map(CompletableFuture::completedFuture)
                      .orElseGet(() -> judged(here)))
          // The claim lasts until the leader has answered, however soon the caller is told: until
          // then the submission may still become durable.
          .whenComplete((_, _) -> {
            var _ = offered.whenComplete((_, _) -> requests.release(id));
          });
    }

    /// Takes a step here, or from its beginning on a thread that may block.
    private CompletableFuture<List<JobView>> step(
        CallerThread thread, Function<CallerThread, CompletableFuture<List<JobView>>> step) {
      try {
        return step.apply(thread);
      } catch (WouldBlockException _) {
        return later(() -> step.apply(CallerThread.MAY_BLOCK));
      } catch (RuntimeException | Error e) {
        return CompletableFuture.failedFuture(e);
      }
    }

    private <T> CompletableFuture<T> later(Supplier<CompletableFuture<T>> step) {
      return CompletableFuture.completedFuture(step).thenComposeAsync(Supplier::get, blocking);
    }

    /// Submits by the catalog known here. If that refuses, by the services' current catalog. Once
    /// more if a job to wait for ended meanwhile.
    private CompletableFuture<List<JobView>> judged(CallerThread thread) {
      return judgedOnce(thread)
          .exceptionallyCompose(failure ->
              cause(failure) instanceof OutdatedException
                  ? again()
                  : CompletableFuture.failedFuture(failure));
    }

    private CompletableFuture<List<JobView>> again() {
      return triesLeft-- > 0
          ? later(() -> judged(CallerThread.MAY_BLOCK))
          : CompletableFuture.failedFuture(
              Refusal.conflict("CONFLICT", "the jobs to wait for change too quickly; try again")
                  .exception());
    }

    private CompletableFuture<List<JobView>> judgedOnce(CallerThread thread) {
      return step(thread, here -> offer(judge.known(), here))
          .exceptionallyCompose(failure ->
              cause(failure) instanceof CatalogRefusal first
                  ? later(() -> judgedAgain(first))
                  : CompletableFuture.failedFuture(failure));
    }

    private CompletableFuture<List<JobView>> judgedAgain(CatalogRefusal first) {
      FreshCatalog fresh = judge.refresh(first);
      return step(CallerThread.MAY_BLOCK, here -> offer(fresh.catalog(), here))
          .exceptionallyComposeAsync(
              failure ->
                  CompletableFuture.failedFuture(
                      cause(failure) instanceof CatalogRefusal second
                          ? judge.refused(second, fresh)
                          : failure),
              blocking);
    }

    /// Offers the jobs to the leader, named and checked by the catalog.
    ///
    /// @throws WouldBlockException this thread must not block; nothing has changed
    /// @throws CatalogRefusal the catalog speaks against it; so may the future fail
    private CompletableFuture<List<JobView>> offer(CatalogView catalog, CallerThread thread) {
      if (request.hasImages() || Prerequisites.areAsked(request)) {
        thread.demandMayBlock();
      }
      door.leadership().ifPresent(leadership -> names.under(leadership, thread));
      List<JobName> reserved = new ArrayList<>();
      boolean isOffered = false;
      try {
        Submission submission = prepare(catalog, thread, reserved);
        CompletableFuture<SubmitReply> reply =
            Refusals.leading(key.isPresent(), () -> door.submit(submission));
        isOffered = true;
        offered = reply;
        return overdue
            .bounded(reply, () -> reserved.forEach(names::release))
            .handle((answer, failure) -> {
              if (failure != null) {
                throw Refusals.lost(key.isPresent(), failure);
              }
              return accepted(answer, submission);
            });
      } finally {
        if (!isOffered) {
          reserved.forEach(names::release);
        }
      }
    }

    /// @param reserved receives the requested names, which must be released
    private Submission prepare(CatalogView catalog, CallerThread thread, List<JobName> reserved) {
      List<NewJob> jobs = new ArrayList<>(request.jobs().size());
      List<NameCounter> counters = new ArrayList<>();
      Prerequisites prerequisites =
          new Prerequisites(
              reader, request, Viewers.of(request.principal(), request.tenant(), catalog));
      prerequisites.demandNoCycle();
      for (int i = 0; i < request.jobs().size(); i++) {
        SubmitJobRequest each = request.jobs().get(i);
        NewJob unnamed = rules.read(request, i, each, catalog).after(prerequisites.of(i));
        NameAllocator.Allocation name = name(i, each, thread);
        if (!each.getJobId().isEmpty()) {
          reserved.add(name.name());
        }
        name.counter().ifPresent(counters::add);
        jobs.add(unnamed.named(name.name()));
      }
      rules.demandImages(request, catalog);
      return new Submission(jobs, key, newest(counters), catalog);
    }

    private NameAllocator.Allocation name(int index, SubmitJobRequest each, CallerThread thread) {
      if (each.getJobId().isEmpty()) {
        String prefix =
            each.getIdPrefix().isEmpty() ? each.getSpec().getQueue() : each.getIdPrefix();
        return names.next(request.tenant(), prefix, thread);
      }
      JobName name = new JobName(request.tenant(), each.getJobId());
      return names
          .exact(name, thread)
          .orElseThrow(() -> {
            String text = "a job '%s' exists: choose another id".formatted(name.id());
            return Refusal.alreadyExists("NAME_TAKEN", text)
                .withViolation(request.at(index) + "job_id", text)
                .withMetadata("job", name.id())
                .exception();
          });
    }

    private Refusal unknownQueue(int index, QueueId queue, CatalogView catalog) {
      return Refusals.unknownQueue(
          request.at(index),
          queue,
          catalog,
          Viewers.of(request.principal(), request.tenant(), catalog));
    }

    private List<JobView> accepted(SubmitReply reply, Submission submission) {
      List<NewJob> jobs = submission.jobs();
      CatalogView catalog = submission.catalog();
      return switch (reply) {
        case SubmitReply.Accepted(List<JobView> accepted) -> accepted;
        case SubmitReply.Refused(int index, Denial denial) ->
            throw CatalogRefusal.byAll(() ->
                Refusals.denied(
                    request.at(index),
                    jobs.get(index).queue(),
                    denial,
                    () -> unknownQueue(index, jobs.get(index).queue(), catalog)));
        case SubmitReply.NotAdmitted(int index) ->
            throw SubmissionRules.notAdmitted(request.at(index), jobs.get(index).queue(), catalog);
        case SubmitReply.NeverMet(int index, var dependency, var ended) ->
            throw Prerequisites.neverMet(
                    request.at(index)
                        + "spec.after["
                        + Prerequisites.number(request.jobs().get(index), dependency.name())
                            .orElse(0)
                        + "].job",
                    dependency,
                    ended)
                .exception();
        case SubmitReply.Outdated() -> throw new OutdatedException();
        case SubmitReply.TooManyWaiting(int index, WaitingBounds.Met met) ->
            throw Refusals.tooManyWaiting(request.at(index), jobs.get(index).queue(), met)
                .exception();
      };
    }
  }

  /// A job to wait for has ended since it was read.
  private static final class OutdatedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    OutdatedException() {
      super("the jobs to wait for change too quickly; try again", null, false, false);
    }
  }

  private static Throwable cause(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
    return cause == null ? failure : cause;
  }

  /// The last number of each prefix.
  private static List<NameCounter> newest(List<NameCounter> counters) {
    if (counters.size() < 2) {
      return counters;
    }
    Map<String, NameCounter> newest = new HashMap<>();
    for (NameCounter counter : counters) {
      newest.merge(counter.prefix(), counter, (one, two) -> one.last() >= two.last() ? one : two);
    }
    return List.copyOf(newest.values());
  }
}
