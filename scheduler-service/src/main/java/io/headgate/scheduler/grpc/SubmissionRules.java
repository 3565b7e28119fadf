package io.headgate.scheduler.grpc;

import io.headgate.kit.auth.Principal;
import io.headgate.kit.auth.Principals;
import io.headgate.kit.config.Durations;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.scheduler.v1.JobSpec;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.runtime.catalog.Access;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.catalog.Grace;
import io.headgate.scheduler.runtime.catalog.VaultRules;
import io.headgate.scheduler.runtime.desk.LeaderView;
import io.headgate.scheduler.runtime.leadership.LeaderDoor;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.submission.Submission.NewJob;
import io.headgate.type.GpuQuantity;
import io.headgate.type.Viewer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Validates submitted jobs before they reach the leader: against the contract's finer rules, the
/// catalog, rights, vaults, and the nodes' support for images.
final class SubmissionRules {
  private final LeaderDoor door;
  private final TimeSource time;

  SubmissionRules(EndpointParts parts) {
    this.door = parts.door();
    this.time = parts.time();
  }

  /// Placement treats all jobs of a queue alike. So a job with an image needs a queue whose jobs go
  /// only to nodes that run images: its profile demands them, or all nodes run them. Each of those
  /// nodes must also permit this image. Waits for the leader's loop if there is such a job.
  ///
  /// @throws CatalogRefusal when a node does not
  void demandImages(SubmissionRequest request, CatalogView catalog) {
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

  private void demandImages(
      SubmissionRequest request, QueueId id, Profile profile, List<Integer> indexes) {
    Set<PoolId> pools = Set.copyOf(profile.pools());
    LeaderView.ImageUse use =
        Refusals.leading(true, () -> door.ask(leader -> leader.reads().images(pools)));
    if (use.without().isPresent() && !profile.images()) {
      throw CatalogRefusal.byAll(
          () -> Refusals.withoutImages(request.at(indexes.getFirst()), id, use.without().get()));
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
                  () -> Refusals.imageNotAllowed(request.at(index), id, ruling.node(), problem));
            });
      }
    }
  }

  /// One job, checked, without its name.
  ///
  /// @throws CatalogRefusal when the catalog speaks against it
  NewJob read(SubmissionRequest request, int index, SubmitJobRequest each, CatalogView catalog) {
    String at = request.at(index);
    JobSpec spec = each.getSpec();
    SpecRules.check(at, spec, time.instant());
    QueueId id = new QueueId(request.tenant(), spec.getQueue());
    Principal principal = request.principal();
    Viewer viewer = Viewers.of(principal, request.tenant(), catalog);
    Queue queue =
        catalog
            .queue(id)
            .filter(known -> viewer.seesTeam(known.policy().name()))
            .orElseThrow(() ->
                CatalogRefusal.byAccess(() -> Refusals.unknownQueue(at, id, catalog, viewer)));
    boolean isMember = catalog.admits(queue, principal.subject());
    // The token states a role of some minutes ago, the catalog the present admins.
    if (!isMember
        && !(Names.governs(principal)
            && catalog.mayGovern(request.tenant(), principal.subject()))) {
      throw notAdmitted(at, queue.id(), catalog);
    }
    demandSuspendable(at, spec, catalog.profile(queue.profile()));
    Grace grace =
        catalog
            .rights(request.tenant(), queue.policy().name())
            .map(Access.Rights::grace)
            .orElse(Grace.NONE);
    demandGrace(at, spec, queue, grace);
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
        spec.hasMaxRuntime()
            ? Optional.of(ProtoTimes.duration(spec.getMaxRuntime()))
            : Optional.empty(),
        AgentMapper.stopTime(spec, grace),
        spec.hasSuspend() ? Optional.of(ProtoTimes.duration(spec.getSuspend())) : Optional.empty(),
        spec.getMovable(),
        spec.getLabelsMap().entrySet().stream()
            .map(label -> label.getKey() + "=" + label.getValue())
            .sorted()
            .toList(),
        request.origin(),
        spec.hasNotBefore()
            ? Optional.of(ProtoTimes.instant(spec.getNotBefore()))
            : Optional.empty(),
        List.of(),
        spec.getDraft(),
        Document.of(spec.toByteArray()));
  }

  /// Holds a job against a queue that it moves to, as if it were submitted there.
  ///
  /// @param spec with that queue
  /// @throws CatalogRefusal when the catalog speaks against it
  void demandFits(QueueId id, JobSpec spec, CatalogView catalog) {
    Queue queue = catalog.queue(id).orElseThrow();
    demandSuspendable("", spec, catalog.profile(queue.profile()));
    Grace grace =
        catalog
            .rights(id.tenant(), queue.policy().name())
            .map(Access.Rights::grace)
            .orElse(Grace.NONE);
    demandGrace("", spec, queue, grace);
    SubmitJobRequest request = SubmitJobRequest.newBuilder().setSpec(spec).build();
    demandImages(
        new SubmissionRequest(
            id.tenant(), Principals.current(), List.of(request), "", request, false, ""),
        catalog);
  }

  /// Only whole GPUs of one node can be given back and found again.
  private static void demandSuspendable(String at, JobSpec spec, Optional<Profile> profile) {
    if (spec.hasSuspend()
        && profile.isPresent()
        && (profile.get().workers() > 1
            || !profile.get().gpus().isWhole()
            || profile.get().gpus().equals(GpuQuantity.ZERO))) {
      String filled =
          ("only jobs of one worker with whole GPUs can be suspended, and those of queue '%s' have"
                  + " %d worker(s) with %s GPU in all: leave out suspend, or use another queue")
              .formatted(spec.getQueue(), profile.get().workers(), profile.get().need());
      throw CatalogRefusal.byAll(() ->
          Refusal.failedPrecondition("CANNOT_SUSPEND", filled)
              .withViolation(at + "spec.suspend", filled));
    }
  }

  /// A job may have less time for its stop than its policy leaves, and not more.
  private static void demandGrace(String at, JobSpec spec, Queue queue, Grace grace) {
    if (spec.getAbortCallback().hasTimeout()) {
      demandWithin(
          at + "spec.abort_callback.timeout",
          ProtoTimes.duration(spec.getAbortCallback().getTimeout()),
          grace.callback(),
          queue);
    }
    if (spec.hasTerminationGrace()) {
      demandWithin(
          at + "spec.termination_grace",
          ProtoTimes.duration(spec.getTerminationGrace()),
          grace.terminate(),
          queue);
    }
  }

  private static void demandWithin(
      String field, Duration stated, Optional<Duration> most, Queue queue) {
    if (most.isPresent() && stated.compareTo(most.get()) > 0) {
      String policy = queue.policy().name();
      String filled =
          "policy '%s' leaves at most %s, and the job asks for %s: state less, or leave it out"
              .formatted(policy, Durations.format(most.get()), Durations.format(stated));
      throw CatalogRefusal.byAccess(() ->
          Refusal.failedPrecondition("GRACE_ABOVE_POLICY", filled)
              .withViolation(field, filled)
              .withMetadata("policy", policy));
    }
  }

  static CatalogRefusal notAdmitted(String at, QueueId id, CatalogView catalog) {
    String policy = catalog.queue(id).map(queue -> queue.policy().name()).orElse("");
    String group = catalog.rights(id.tenant(), policy).map(Access.Rights::group).orElse("");
    String filled =
        ("queue '%s' is for group '%s' of policy '%s', and you are not in it: ask an admin, or use"
                + " a queue of yours")
            .formatted(id.name(), group, policy);
    return CatalogRefusal.byAccess(() ->
        Refusal.permissionDenied("NOT_ADMITTED", filled)
            .withViolation(at + "spec.queue", filled)
            .withMetadata("queue", id.name())
            .withMetadata("policy", policy)
            .withMetadata("group", group));
  }
}
