package io.headgate.scheduler.grpc;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Message;
import io.headgate.kit.auth.Principal;
import io.headgate.kit.failure.Refusal;
import io.headgate.proto.scheduler.v1.JobSpec;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.runtime.Access;
import io.headgate.scheduler.runtime.Batch.RequestRecord;
import io.headgate.scheduler.runtime.CatalogView;
import io.headgate.scheduler.runtime.Command.SubmitReply;
import io.headgate.scheduler.runtime.Document;
import io.headgate.scheduler.runtime.JobName;
import io.headgate.scheduler.runtime.JobReader;
import io.headgate.scheduler.runtime.JobView;
import io.headgate.scheduler.runtime.KnownKeys;
import io.headgate.scheduler.runtime.LeaderView;
import io.headgate.scheduler.runtime.NameAllocator;
import io.headgate.scheduler.runtime.NameCounter;
import io.headgate.scheduler.runtime.Replica;
import io.headgate.scheduler.runtime.Submission;
import io.headgate.scheduler.runtime.Submission.NewJob;
import io.headgate.scheduler.runtime.Submission.RequestKey;
import io.headgate.scheduler.runtime.VaultRules;
import io.headgate.type.GpuQuantity;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/// Takes submissions: checks them, names the jobs, and hands them to the leader, all jobs of a
/// request or none. A repeated request is answered with the jobs of the first: requests are not
/// remembered by the kit's log, because many of them share one transaction of the leader.
final class Submissions {
  private static final Duration PATIENCE = Duration.ofSeconds(25);

  private final Replica replica;
  private final JobReader reader;
  private final CatalogJudge judge;
  private final NameAllocator names;
  private final KnownKeys requests;
  private final Supplier<Optional<String>> traceparent;
  private final Map<Map.Entry<String, String>, CompletableFuture<Boolean>> running =
      new ConcurrentHashMap<>();

  Submissions(EndpointParts parts, CatalogJudge judge) {
    this.replica = parts.replica();
    this.judge = judge;
    this.reader = parts.reader();
    this.names = parts.names();
    this.requests = parts.requests();
    this.traceparent = parts.traceparent();
  }

  /// What is submitted together.
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
  }

  /// The jobs, durable, in the order of the request.
  List<JobView> submit(Request request) {
    if (request.requestId().isEmpty()) {
      return submitNew(request, Optional.empty());
    }
    RequestKey key =
        new RequestKey(
            request.principal().subject(), request.requestId(), fingerprint(request.content()));
    Map.Entry<String, String> id = Map.entry(key.subject(), key.requestId());
    CompletableFuture<Boolean> mine = new CompletableFuture<>();
    CompletableFuture<Boolean> other = running.putIfAbsent(id, mine);
    while (other != null) {
      await(other);
      // What it made is in the database now. If that is nothing, this one asks for itself.
      Optional<List<JobView>> before = earlier(key);
      if (before.isPresent()) {
        return before.get();
      }
      other = running.putIfAbsent(id, mine);
    }
    try {
      Optional<List<JobView>> before = isNew(key) ? Optional.empty() : earlier(key);
      return before.isPresent() ? before.get() : submitNew(request, Optional.of(key));
    } finally {
      running.remove(id);
      mine.complete(true);
    }
  }

  private boolean isNew(RequestKey key) {
    replica.leadership().ifPresent(leadership -> requests.under(leadership.epoch()));
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

  private List<JobView> submitNew(Request request, Optional<RequestKey> key) {
    return judge.judge(catalog -> submitNew(request, key, catalog));
  }

  private List<JobView> submitNew(Request request, Optional<RequestKey> key, CatalogView catalog) {
    replica.leadership().ifPresent(leadership -> names.under(leadership.epoch()));
    List<NewJob> jobs = new ArrayList<>();
    List<NameCounter> counters = new ArrayList<>();
    List<JobName> reserved = new ArrayList<>();
    try {
      for (int i = 0; i < request.jobs().size(); i++) {
        SubmitJobRequest each = request.jobs().get(i);
        NewJob unnamed = read(request, i, each, catalog);
        NameAllocator.Allocation name = name(request, i, each);
        if (!each.getJobId().isEmpty()) {
          reserved.add(name.name());
        }
        name.counter().ifPresent(counters::add);
        jobs.add(unnamed.named(name.name()));
      }
      demandImages(request, catalog);
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
            throw notAdmitted(request.at(index), jobs.get(index).queue(), catalog);
        case SubmitReply.TooManyWaiting(int index, int waiting, int most) ->
            throw Refusals.tooManyWaiting(request.at(index), jobs.get(index).queue(), waiting, most)
                .exception();
      };
    } finally {
      reserved.forEach(names::release);
    }
  }

  /// All jobs of a queue are alike to placement. So one with an image has to be in a queue whose
  /// jobs go only to nodes that run such, as its profile says, or where all nodes do; and all of
  /// those have to let that image run.
  ///
  /// @throws CatalogRefusal when one does not
  void demandImages(Request request, CatalogView catalog) {
    Map<QueueId, List<Integer>> asked = new LinkedHashMap<>();
    for (int i = 0; i < request.jobs().size(); i++) {
      JobSpec spec = request.jobs().get(i).getSpec();
      if (spec.hasContainer()) {
        QueueId queue = new QueueId(request.tenant(), spec.getQueue());
        asked.computeIfAbsent(queue, _ -> new ArrayList<>()).add(i);
      }
    }
    asked.forEach((id, indexes) ->
        catalog
            .queue(id)
            .flatMap(queue -> catalog.profile(queue.profile()))
            .ifPresent(profile -> demandImages(request, id, profile, indexes)));
  }

  private void demandImages(Request request, QueueId id, Profile profile, List<Integer> indexes) {
    Set<PoolId> pools = Set.copyOf(profile.pools());
    LeaderView.ImageUse use =
        Refusals.leading(true, () -> replica.ask(leader -> leader.reads().images(pools)));
    if (use.without().isPresent() && !profile.images()) {
      throw CatalogRefusal.byAll(
          Refusals.withoutImages(request.at(indexes.getFirst()), id, use.without().get()));
    }
    // Not on the leader's loop: patterns are others' words.
    Set<String> judged = new HashSet<>();
    for (int index : indexes) {
      String image = request.jobs().get(index).getSpec().getContainer().getImage();
      if (!judged.add(image)) {
        continue;
      }
      for (LeaderView.ImageUse.Ruling ruling : use.rulings()) {
        ruling
            .rules()
            .problem(image)
            .ifPresent(problem -> {
              throw CatalogRefusal.byAll(
                  Refusals.imageNotAllowed(request.at(index), id, ruling.node(), problem));
            });
      }
    }
  }

  /// One job, checked, without its name.
  ///
  /// @throws CatalogRefusal when the catalog speaks against it
  NewJob read(Request request, int index, SubmitJobRequest each, CatalogView catalog) {
    String at = request.at(index);
    JobSpec spec = each.getSpec();
    SpecRules.check(at, spec);
    QueueId id = new QueueId(request.tenant(), spec.getQueue());
    Queue queue =
        catalog
            .queue(id)
            .orElseThrow(() -> CatalogRefusal.byAccess(Refusals.unknownQueue(at, id, catalog)));
    Principal principal = request.principal();
    boolean isMember = catalog.admits(queue, principal.subject());
    if (!isMember && !Names.governs(principal)) {
      throw notAdmitted(at, queue.id(), catalog);
    }
    demandSuspendable(at, spec, catalog.profile(queue.profile()));
    // Without a policy it does not start, and is held against vaults when it does.
    JobVaults.demand(at, spec, catalog.vaults(id).orElse(VaultRules.NONE));
    return new NewJob(
        new JobName(request.tenant(), ""),
        id,
        Names.user(principal),
        principal.subject(),
        !isMember,
        spec.getPriority(),
        spec.hasPreemptible() ? Optional.of(spec.getPreemptible()) : Optional.empty(),
        spec.hasMaxRuntime() ? Optional.of(Times.duration(spec.getMaxRuntime())) : Optional.empty(),
        spec.hasSuspend() ? Optional.of(Times.duration(spec.getSuspend())) : Optional.empty(),
        spec.getLabelsMap().entrySet().stream()
            .map(label -> label.getKey() + "=" + label.getValue())
            .sorted()
            .toList(),
        traceparent.get().orElse(""),
        spec.getDraft(),
        Document.of(spec.toByteArray()));
  }

  /// Only whole GPUs of one node can be given back and found again.
  private static void demandSuspendable(String at, JobSpec spec, Optional<Profile> profile) {
    if (spec.hasSuspend()
        && profile.isPresent()
        && (profile.get().workers() > 1
            || !profile.get().gpus().isWhole()
            || profile.get().gpus().equals(GpuQuantity.ZERO))) {
      String filled =
          ("only jobs of one worker with whole GPUs can be suspended, and those of queue '%s' have %d"
                  + " with %s in all: leave out suspend, or use another queue")
              .formatted(spec.getQueue(), profile.get().workers(), profile.get().need());
      throw CatalogRefusal.byAll(
          Refusal.failedPrecondition("CANNOT_SUSPEND", filled)
              .withViolation(at + "spec.suspend", filled));
    }
  }

  private static CatalogRefusal notAdmitted(String at, QueueId id, CatalogView catalog) {
    String policy = catalog.queue(id).map(queue -> queue.policy().name()).orElse("");
    String group = catalog.rights(id.tenant(), policy).map(Access.Rights::group).orElse("");
    String filled =
        ("queue '%s' is for group '%s' of policy '%s', and you are not in it: ask an admin, or use"
                + " a queue of yours")
            .formatted(id.name(), group, policy);
    return CatalogRefusal.byAccess(
        Refusal.permissionDenied("NOT_ADMITTED", filled)
            .withViolation(at + "spec.queue", filled)
            .withMetadata("queue", id.name())
            .withMetadata("policy", policy)
            .withMetadata("group", group));
  }

  private NameAllocator.Allocation name(Request request, int index, SubmitJobRequest each) {
    if (each.getJobId().isEmpty()) {
      String prefix = each.getIdPrefix().isEmpty() ? each.getSpec().getQueue() : each.getIdPrefix();
      return names.next(request.tenant(), prefix);
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

  /// Of each prefix the last number.
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
