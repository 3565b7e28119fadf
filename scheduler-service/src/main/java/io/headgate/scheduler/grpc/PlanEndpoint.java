package io.headgate.scheduler.grpc;

import static io.headgate.scheduler.grpc.JobEndpoint.answer;

import com.google.protobuf.MessageLite;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.grpc.MemoryBrake;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.scheduler.v1.PlanConfigurationRequest;
import io.headgate.proto.scheduler.v1.PlanConfigurationResponse;
import io.headgate.proto.scheduler.v1.PlanServiceGrpc;
import io.headgate.scheduler.core.SchedulerState;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.placement.PlacementPolicy;
import io.headgate.scheduler.runtime.catalog.Access;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.catalog.DraftReader;
import io.headgate.scheduler.runtime.catalog.Supply;
import io.headgate.scheduler.runtime.desk.LeaderView;
import io.headgate.scheduler.runtime.leadership.LeaderDoor;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.simulation.LiveState;
import io.headgate.scheduler.simulation.WhatIf;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Predicts the consequences of a configuration change. The loop only hands out a copy of its
/// state; the copy decides on the caller's thread.
public final class PlanEndpoint extends PlanServiceGrpc.PlanServiceImplBase {
  private static final int USUAL_JOBS = 10;

  /// Looking ahead is worth this much time, of both simulations together.
  private static final Duration LOOK_AHEAD = Duration.ofSeconds(3);

  private static final int MOST_INSTANTS = 10_000;

  /// Memory of a plan for each job: the copied state and two simulations with a core each.
  private static final long BYTES_OF_A_JOB = 2048;

  private final LeaderDoor door;
  private final CopyBound copies;
  private final TimeSource time;
  private final DraftReader drafts;
  private final MemoryBrake memory;

  /// Answers from the state of the replica's leader.
  public PlanEndpoint(EndpointParts parts, DraftReader drafts, MemoryBrake memory) {
    this.door = parts.door();
    this.copies = parts.copies();
    this.time = parts.time();
    this.drafts = drafts;
    this.memory = memory;
  }

  /// Everything of one moment of the loop.
  private record Moment(
      SchedulerState state,
      PlacementPolicy placement,
      List<JobRecord> jobs,
      CatalogView catalog,
      Instant now) {}

  @Override
  public void planConfiguration(
      PlanConfigurationRequest request, StreamObserver<PlanConfigurationResponse> out) {
    TenantId tenant = Names.tenant(request.getParent());
    // Drafts are read in its turn, too, so that a waiting plan keeps its request only.
    answer(out, copies.answer(() -> plan(tenant, request)));
  }

  private PlanConfigurationResponse plan(TenantId tenant, PlanConfigurationRequest request) {
    Optional<Supply> supply =
        request.hasResourceConfiguration()
            ? Optional.of(
                read(
                    "resource_configuration",
                    request.getResourceConfiguration(),
                    document -> drafts.supply(tenant, document)))
            : Optional.empty();
    Optional<Access> access =
        request.hasAccessConfiguration()
            ? Optional.of(
                read(
                    "access_configuration",
                    request.getAccessConfiguration(),
                    document -> drafts.access(tenant, document)))
            : Optional.empty();
    int named = request.getMaxJobs() == 0 ? USUAL_JOBS : request.getMaxJobs();
    // The plan starts from the current catalog, including a change applied just before.
    Refusals.leading(true, door::freshCatalog);
    return plan(tenant, request, supply, access, named);
  }

  private static <T> T read(String field, MessageLite draft, Function<Document, T> reader) {
    try {
      return reader.apply(Document.of(draft.toByteArray()));
    } catch (DraftReader.UnreadableDraftException e) {
      throw Refusal.invalidField(
              "INVALID_CONFIGURATION",
              field + "." + e.field(),
              "it cannot be read: " + e.getMessage())
          .exception();
    }
  }

  private PlanConfigurationResponse plan(
      TenantId tenant,
      PlanConfigurationRequest request,
      Optional<Supply> supply,
      Optional<Access> access,
      int named) {
    Moment moment = Refusals.leading(true, () -> door.ask(this::moment));
    requireVersions(tenant, request, moment.catalog());
    CatalogView changed = moment.catalog().with(supply, access);
    Map<JobId, JobRecord> records = HashMap.newHashMap(moment.jobs().size());
    moment.jobs().forEach(job -> records.put(job.id(), job));
    LiveState present =
        new LiveState(
            moment.state(), moment.placement(), moment.now(), id -> name(tenant, id, records));
    WhatIf.NotAdmitted notAdmitted = notAdmitted(tenant, moment, changed);
    long begin = time.monotonicNanos();
    WhatIf whatIf =
        new WhatIf(
            tenant,
            new WhatIf.Limits(
                named, MOST_INSTANTS, () -> time.monotonicNanos() - begin > LOOK_AHEAD.toNanos()));
    WhatIf.Answer answer = whatIf.compare(present, changed.merged(tenant), notAdmitted);
    return PlanMapper.toResponse(answer, notAdmitted);
  }

  /// A plan for other versions than those in force would show what will not happen.
  private static void requireVersions(
      TenantId tenant, PlanConfigurationRequest request, CatalogView catalog) {
    long resources = catalog.resourceVersion(tenant);
    long access = catalog.accessVersion(tenant);
    if (isOther(request.getIfResourceVersion(), resources)
        || isOther(request.getIfAccessVersion(), access)) {
      throw Refusal.conflict(
              "VERSION_CHANGED",
              "the plan is for version %d.%d, and the scheduler decides by %d.%d: plan again"
                  .formatted(
                      request.getIfResourceVersion(),
                      request.getIfAccessVersion(),
                      resources,
                      access))
          .exception();
    }
  }

  private static boolean isOther(long expected, long actual) {
    return expected != 0 && expected != actual;
  }

  private static String name(TenantId tenant, JobId id, Map<JobId, JobRecord> records) {
    @Nullable JobRecord job = records.get(id);
    return job == null ? "job " + id.value() : PlanMapper.name(tenant, job);
  }

  private Moment moment(LeaderView leader) {
    int jobs = leader.reads().jobCount();
    memory.demandRoom(jobs * BYTES_OF_A_JOB, "a plan over " + jobs + " jobs");
    return new Moment(
        leader.core().state(),
        leader.core().placement(),
        leader.reads().jobs(),
        leader.catalog(),
        leader.now());
  }

  /// Names of the jobs whose submitters are not admitted to their queues.
  private static WhatIf.NotAdmitted notAdmitted(
      TenantId tenant, Moment moment, CatalogView changed) {
    Map<Map.Entry<QueueId, String>, Boolean> before = new HashMap<>();
    Map<Map.Entry<QueueId, String>, Boolean> after = new HashMap<>();
    List<String> waiting = new ArrayList<>();
    List<String> runningBefore = new ArrayList<>();
    List<String> runningAfter = new ArrayList<>();
    for (JobRecord job : moment.jobs()) {
      if (job.metadata().byRole() || !job.tenant().equals(tenant)) {
        continue;
      }
      // Jobs are many, pairs of queue and submitter few.
      Map.Entry<QueueId, String> pair =
          Map.entry(job.job().spec().queue(), job.metadata().submitter());
      boolean isAdmittedAfter = after.computeIfAbsent(pair, each -> isAdmitted(changed, each));
      if (job.state() == JobState.WAITING) {
        if (!isAdmittedAfter) {
          waiting.add(PlanMapper.name(tenant, job));
        }
        continue;
      }
      if (!isAdmittedAfter) {
        runningAfter.add(PlanMapper.name(tenant, job));
      }
      if (!before.computeIfAbsent(pair, each -> isAdmitted(moment.catalog(), each))) {
        runningBefore.add(PlanMapper.name(tenant, job));
      }
    }
    return new WhatIf.NotAdmitted(waiting, runningBefore, runningAfter);
  }

  private static boolean isAdmitted(CatalogView changed, Map.Entry<QueueId, String> pair) {
    Optional<Queue> queue = changed.queue(pair.getKey());
    // A queue that goes has its own consequence.
    return queue.isEmpty() || changed.admits(queue.get(), pair.getValue());
  }
}
