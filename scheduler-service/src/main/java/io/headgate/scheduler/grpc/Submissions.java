package io.headgate.scheduler.grpc;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Message;
import io.headgate.kit.auth.Principal;
import io.headgate.kit.failure.Refusal;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.desk.Command.SubmitReply;
import io.headgate.scheduler.runtime.leadership.Replica;
import io.headgate.scheduler.runtime.record.Batch.RequestRecord;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.JobReader;
import io.headgate.scheduler.runtime.record.JobView;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.scheduler.runtime.record.NameCounter;
import io.headgate.scheduler.runtime.submission.KnownKeys;
import io.headgate.scheduler.runtime.submission.NameAllocator;
import io.headgate.scheduler.runtime.submission.Submission;
import io.headgate.scheduler.runtime.submission.Submission.NewJob;
import io.headgate.scheduler.runtime.submission.Submission.RequestKey;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Takes submissions: checks them, names the jobs, and hands them to the leader, all jobs of a
/// request or none. A repeated request is answered with the jobs of the first: requests are not
/// remembered by the kit's log, because many of them share one transaction of the leader.
final class Submissions {
  private static final Logger LOG = LoggerFactory.getLogger(Submissions.class);

  private static final Duration PATIENCE = Duration.ofSeconds(25);

  private final Replica replica;
  private final JobReader reader;
  private final CatalogJudge judge;
  private final SubmissionRules rules;
  private final NameAllocator names;
  private final KnownKeys requests;
  private final Overdue<SubmitReply> overdue;
  private final Map<Map.Entry<String, String>, CompletableFuture<Boolean>> running =
      new ConcurrentHashMap<>();

  Submissions(EndpointParts parts, CatalogJudge judge, SubmissionRules rules) {
    this.replica = parts.replica();
    this.judge = judge;
    this.rules = rules;
    this.reader = parts.reader();
    this.names = parts.names();
    this.requests = parts.requests();
    this.overdue = new Overdue<>(Replica.PATIENCE, parts.time());
  }

  /// One submission: a single job or a batch.
  ///
  /// @param requestId empty: not idempotent
  /// @param content everything but the request's id
  /// @param isBatch paths of fields name the job by index
  record Request(
      TenantId tenant,
      Principal principal,
      List<SubmitJobRequest> jobs,
      String requestId,
      Message content,
      boolean isBatch) {
    String at(int index) {
      return isBatch ? "requests[" + index + "]." : "";
    }

    private Optional<RequestKey> key() {
      return requestId.isEmpty()
          ? Optional.empty()
          : Optional.of(new RequestKey(principal.subject(), requestId, fingerprint(content)));
    }
  }

  /// Names and request ids reserved by a submission in flight. They are released when the
  /// submission is durable or has failed, or when its caller stops waiting. In the last case the
  /// submission may still succeed. The leader remembers what it accepted and rejects its names and
  /// request id a second time. Not thread-safe, but one thread may fill the claims and another
  /// close them.
  private final class Claims implements AutoCloseable {
    private final List<Runnable> releases = new ArrayList<>();

    /// @return the claim of another submission with that key, if there is one
    Optional<CompletableFuture<Boolean>> request(RequestKey key) {
      Map.Entry<String, String> id = Map.entry(key.subject(), key.requestId());
      CompletableFuture<Boolean> mine = new CompletableFuture<>();
      CompletableFuture<Boolean> other = running.putIfAbsent(id, mine);
      if (other == null) {
        releases.add(() -> {
          running.remove(id);
          mine.complete(true);
        });
      }
      return Optional.ofNullable(other);
    }

    /// A name that was asked for and allocated.
    void name(JobName name) {
      releases.add(() -> names.release(name));
    }

    @Override
    public void close() {
      releases.forEach(Runnable::run);
    }
  }

  /// The jobs, durable, in the order of the request. Waits.
  List<JobView> submit(Request request) {
    Optional<RequestKey> key = request.key();
    try (Claims claims = new Claims()) {
      if (key.isPresent()) {
        var other = claims.request(key.get());
        while (other.isPresent()) {
          await(other.get());
          // The other submission is over. If it stored jobs they are in the database; if not, this
          // one claims the request id.
          Optional<List<JobView>> before = earlier(key.get());
          if (before.isPresent()) {
            return before.get();
          }
          other = claims.request(key.get());
        }
        leadership().ifPresent(requests::under);
        Optional<List<JobView>> before = isNew(key.get()) ? Optional.empty() : earlier(key.get());
        if (before.isPresent()) {
          return before.get();
        }
      }
      return judge.judge(catalog -> submitNew(request, key, catalog));
    }
  }

  /// Submits one job without waiting for anything but the leader, whose answer comes later. Most
  /// can be: those with a name and a request's id that are certainly new, to which the catalog as
  /// it is known says yes. Completes with nothing, and has changed nothing, for all others, which
  /// [#submit] is for.
  CompletableFuture<Optional<List<JobView>>> submitAtOnce(Request request) {
    CompletableFuture<Optional<List<JobView>>> not =
        CompletableFuture.completedFuture(Optional.empty());
    SubmitJobRequest each = request.jobs().getFirst();
    Optional<RequestKey> key = request.key();
    if (each.getSpec().hasContainer() || !isReady()) {
      return not;
    }
    Claims claims = new Claims();
    boolean isOffered = false;
    try {
      if (key.isPresent() && (claims.request(key.get()).isPresent() || !isNew(key.get()))) {
        return not;
      }
      CatalogView catalog = Refusals.leading(true, replica::catalog);
      if (catalog.queue(new QueueId(request.tenant(), each.getSpec().getQueue())).isEmpty()) {
        // The search for similar names reads the database, so it runs on another thread.
        return not;
      }
      NewJob unnamed = rules.read(request, 0, each, catalog);
      Optional<NameAllocator.Allocation> name = nameAtOnce(request.tenant(), each);
      if (name.isEmpty()) {
        return not;
      }
      if (!each.getJobId().isEmpty()) {
        claims.name(name.get().name());
      }
      Submission submission =
          new Submission(
              List.of(unnamed.named(name.get().name())),
              key,
              name.get().counter().stream().toList(),
              catalog);
      CompletableFuture<SubmitReply> reply =
          Refusals.leading(key.isPresent(), () -> replica.offer(submission));
      isOffered = true;
      // Claims stay as long as it may still happen, however soon its caller is told.
      return overdue
          .bounded(reply, claims::close)
          .handle((answer, failure) -> {
            if (failure != null) {
              throw Refusals.lost(key.isPresent(), failure);
            }
            return switch (answer) {
              case SubmitReply.Accepted(List<JobView> jobs) -> Optional.of(jobs);
              case SubmitReply.TooManyWaiting(int index, int waiting, int most) ->
                  throw Refusals.tooManyWaiting(request.at(index), unnamed.queue(), waiting, most)
                      .exception();
              // A refusal by the local catalog is checked again with the current catalog of the
              // services.
              case SubmitReply.Refused _, SubmitReply.NotAdmitted _ -> Optional.empty();
            };
          });
    } catch (CatalogRefusal e) {
      LOG.trace("refused by what is known; judged again by what the services have", e);
      return not;
    } finally {
      if (!isOffered) {
        claims.close();
      }
    }
  }

  /// Whether what certainly is new under this leadership can be told.
  private boolean isReady() {
    return leadership()
        .filter(leadership -> requests.isUnder(leadership) && names.isUnder(leadership))
        .isPresent();
  }

  private Optional<Leadership> leadership() {
    return replica.leadership();
  }

  private boolean isNew(RequestKey key) {
    return requests.isNew(KnownKeys.key(key.subject(), key.requestId()));
  }

  private static void await(CompletableFuture<Boolean> other) {
    try {
      other.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw stillAnswered().exception();
    } catch (ExecutionException | TimeoutException e) {
      throw stillAnswered().exception();
    }
  }

  private static Refusal stillAnswered() {
    return Refusal.unavailable(
        "LEADER_CHANGED", "the same request is still being answered", Duration.ofSeconds(1));
  }

  private Optional<List<JobView>> earlier(RequestKey key) {
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

  private List<JobView> submitNew(Request request, Optional<RequestKey> key, CatalogView catalog) {
    leadership().ifPresent(names::under);
    List<NewJob> jobs = new ArrayList<>();
    List<NameCounter> counters = new ArrayList<>();
    try (Claims claims = new Claims()) {
      for (int i = 0; i < request.jobs().size(); i++) {
        SubmitJobRequest each = request.jobs().get(i);
        NewJob unnamed = rules.read(request, i, each, catalog);
        NameAllocator.Allocation name = name(request, i, each);
        if (!each.getJobId().isEmpty()) {
          claims.name(name.name());
        }
        name.counter().ifPresent(counters::add);
        jobs.add(unnamed.named(name.name()));
      }
      rules.demandImages(request, catalog);
      SubmitReply reply =
          Refusals.leading(
              key.isPresent(),
              () -> replica.submit(new Submission(jobs, key, newest(counters), catalog)));
      return switch (reply) {
        case SubmitReply.Accepted(List<JobView> accepted) -> accepted;
        case SubmitReply.Refused(int index, Denial denial) ->
            throw CatalogRefusal.byAll(
                Refusals.denied(request.at(index), jobs.get(index).queue(), denial, catalog));
        case SubmitReply.NotAdmitted(int index) ->
            throw SubmissionRules.notAdmitted(request.at(index), jobs.get(index).queue(), catalog);
        case SubmitReply.TooManyWaiting(int index, int waiting, int most) ->
            throw Refusals.tooManyWaiting(request.at(index), jobs.get(index).queue(), waiting, most)
                .exception();
      };
    }
  }

  private NameAllocator.Allocation name(Request request, int index, SubmitJobRequest each) {
    if (each.getJobId().isEmpty()) {
      return names.next(request.tenant(), prefix(each));
    }
    JobName name = new JobName(request.tenant(), each.getJobId());
    return names
        .exact(name)
        .orElseThrow(() -> {
          String text = "a job '%s' exists: choose another id".formatted(name.id());
          return Refusal.alreadyExists("NAME_TAKEN", text)
              .withViolation(request.at(index) + "job_id", text)
              .withMetadata("job", name.id())
              .exception();
        });
  }

  private Optional<NameAllocator.Allocation> nameAtOnce(TenantId tenant, SubmitJobRequest each) {
    return each.getJobId().isEmpty()
        ? names.nextAtOnce(tenant, prefix(each))
        : names.exactAtOnce(new JobName(tenant, each.getJobId()));
  }

  private static String prefix(SubmitJobRequest each) {
    return each.getIdPrefix().isEmpty() ? each.getSpec().getQueue() : each.getIdPrefix();
  }

  /// The last number of each prefix.
  private static List<NameCounter> newest(List<NameCounter> counters) {
    Map<String, NameCounter> newest = new HashMap<>();
    for (NameCounter counter : counters) {
      newest.merge(counter.prefix(), counter, (one, two) -> one.last() >= two.last() ? one : two);
    }
    return List.copyOf(newest.values());
  }

  /// The same for the same content, whatever the order of its maps.
  private static String fingerprint(Message content) {
    byte[] bytes = new byte[content.getSerializedSize()];
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    out.useDeterministicSerialization();
    try {
      content.writeTo(out);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (IOException e) {
      throw new IllegalStateException("memory cannot fail to be written", e);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
