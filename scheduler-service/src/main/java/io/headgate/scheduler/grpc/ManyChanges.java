package io.headgate.scheduler.grpc;

import io.headgate.kit.failure.Refusal;
import io.headgate.kit.failure.RefusalException;
import io.headgate.kit.grpc.PageTokens;
import io.headgate.proto.scheduler.v1.CancelJobsRequest;
import io.headgate.proto.scheduler.v1.ChangeJobsResponse;
import io.headgate.proto.scheduler.v1.JobFilter;
import io.headgate.proto.scheduler.v1.RequeueJobsRequest;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.desk.Command;
import io.headgate.scheduler.runtime.desk.Command.ChangeReply;
import io.headgate.scheduler.runtime.desk.LeadershipLostException;
import io.headgate.scheduler.runtime.leadership.LeaderDoor;
import io.headgate.scheduler.runtime.record.Cancellation;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.JobReader;
import io.headgate.scheduler.runtime.record.JobReader.Filter;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.type.Viewer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Cancels and requeues all jobs that match a filter. Each job is changed or left alone by itself,
/// as by a call about it alone. A thousand of them share a transaction.
final class ManyChanges {
  /// Jobs of one call.
  private static final int MOST = 10_000;

  /// Jobs that share a transaction. Agents are heard between two of them.
  private static final int CHUNK = 1000;

  /// Failures that are told with their sentences.
  private static final int TOLD = 20;

  /// Attempts to change a job that other changes keep overtaking.
  private static final int TRIES = 20;

  private static final List<JobState> NOT_ENDED =
      Arrays.stream(JobState.values()).filter(state -> !state.isTerminal()).toList();

  private final LeaderDoor door;
  private final JobReader reader;
  private final JobReads jobs;
  private final JobChanges changes;
  private final PageTokens pages;

  ManyChanges(EndpointParts parts, JobReads jobs, JobChanges changes) {
    this.door = parts.door();
    this.reader = parts.reader();
    this.jobs = jobs;
    this.changes = changes;
    this.pages = parts.pages();
  }

  /// The change of each job.
  private interface Change {
    /// The command about the job.
    ///
    /// @throws RuntimeException the refusal of this job
    Command of(JobRecord job, CompletableFuture<ChangeReply> reply);

    /// Looks up what the commands about these jobs need.
    default void prepare(List<JobRecord> jobs) {}
  }

  /// One call.
  ///
  /// @param verb what it does with a job
  private record Call(
      TenantId tenant, Filter filter, String verb, boolean countOnly, String pageToken) {
    List<String> query() {
      return List.of(verb, tenant.name(), filter.seenBy(Viewer.OF_ALL).toString());
    }
  }

  ChangeJobsResponse cancel(CancelJobsRequest request) {
    TenantId tenant = Names.tenant(request.getParent());
    Viewer viewer = jobs.viewer(tenant);
    Filter filter = JobReads.toFilter(request.getFilter(), viewer);
    List<JobState> asked = filter.states().isEmpty() ? NOT_ENDED : filter.states();
    List<JobState> states = asked.stream().filter(NOT_ENDED::contains).toList();
    if (states.isEmpty()) {
      return ChangeJobsResponse.getDefaultInstance();
    }
    Cancellation cancellation = new Cancellation(JobChanges.caller(), request.getReason());
    return change(
        new Call(
            tenant,
            filter.inStates(states),
            "cancel",
            request.getValidateOnly(),
            request.getPageToken()),
        viewer,
        (job, reply) -> new Command.Cancel(job, request.getSkipCallback(), cancellation, reply));
  }

  ChangeJobsResponse requeue(RequeueJobsRequest request) {
    TenantId tenant = Names.tenant(request.getParent());
    demandStates(request.getFilter());
    Viewer viewer = jobs.viewer(tenant);
    CatalogView catalog = Refusals.leading(true, door::freshCatalog).catalog();
    return change(
        new Call(
            tenant,
            JobReads.toFilter(request.getFilter(), viewer),
            "requeue",
            request.getValidateOnly(),
            request.getPageToken()),
        viewer,
        new Requeue(catalog));
  }

  private final class Requeue implements Change {
    private final CatalogView catalog;
    private final String by = JobChanges.caller();
    private Map<JobId, Document> documents = Map.of();

    Requeue(CatalogView catalog) {
      this.catalog = catalog;
    }

    @Override
    public void prepare(List<JobRecord> jobs) {
      documents =
          reader.documents(
              jobs.stream()
                  .filter(job -> changes.hasVaults(job, catalog))
                  .map(JobRecord::id)
                  .toList());
    }

    @Override
    public Command of(JobRecord job, CompletableFuture<ChangeReply> reply) {
      changes.requireRequeueable(job, Optional.ofNullable(documents.get(job.id())), catalog);
      return new Command.Requeue(
          job, by, catalog, Optional.empty(), Prerequisites.of(job, reader), reply);
    }
  }

  private static void demandStates(JobFilter filter) {
    List<JobState> states =
        filter.getStatesList().stream().map(JobMapper::toState).flatMap(Optional::stream).toList();
    if (states.isEmpty() || states.contains(JobState.WAITING)) {
      throw Refusal.invalidField(
              "INVALID_FILTER",
              "filter.states",
              "name the states of the jobs to requeue, such as STATE_FAILED, and not STATE_WAITING")
          .exception();
    }
  }

  private ChangeJobsResponse change(Call call, Viewer viewer, Change change) {
    long after = pages.read(call.query(), call.pageToken()).map(Long::parseLong).orElse(0L);
    ChangeJobsResponse.Builder response = ChangeJobsResponse.newBuilder();
    for (int looked = 0; looked < MOST; looked += CHUNK) {
      List<JobRecord> found = reader.oldest(call.tenant(), call.filter(), after, CHUNK);
      List<JobRecord> own =
          found.stream()
              .filter(job -> viewer.steers(job.metadata().submitter(), job.metadata().policy()))
              .toList();
      response.setNotOwned(response.getNotOwned() + found.size() - own.size());
      if (call.countOnly()) {
        own.forEach(job -> count(response, job));
      } else {
        change(call, own, change, response, viewer);
      }
      if (found.size() < CHUNK) {
        return response.build();
      }
      after = found.getLast().id().value();
    }
    return response.setNextPageToken(pages.issue(call.query(), Long.toString(after))).build();
  }

  private void change(
      Call call,
      List<JobRecord> own,
      Change change,
      ChangeJobsResponse.Builder response,
      Viewer viewer) {
    List<JobRecord> left = own;
    for (int i = 0; i < TRIES && !left.isEmpty(); i++) {
      Map<JobRecord, CompletableFuture<ChangeReply>> replies = new LinkedHashMap<>();
      List<Command> commands = new ArrayList<>();
      change.prepare(left);
      for (JobRecord job : left) {
        CompletableFuture<ChangeReply> reply = new CompletableFuture<>();
        try {
          commands.add(change.of(job, reply));
          replies.put(job, reply);
        } catch (CatalogRefusal refusal) {
          fail(response, job, refusal.refusal());
        } catch (RefusalException e) {
          fail(response, job, e.refusal());
        }
      }
      if (!commands.isEmpty()) {
        Refusals.leading(
            false,
            () -> {
              door.change(commands);
              return true;
            });
      }
      List<JobId> outdated = new ArrayList<>();
      replies.forEach((job, reply) -> {
        ChangeReply answer = Refusals.leading(false, () -> await(reply));
        if (answer instanceof ChangeReply.Outdated) {
          outdated.add(job.id());
          return;
        }
        changes
            .problem(job, call.verb(), answer, viewer)
            .ifPresentOrElse(refusal -> fail(response, job, refusal), () -> count(response, job));
      });
      left = reader.jobs(outdated);
    }
    left.forEach(job -> fail(response, job, JobChanges.conflict(job.name())));
  }

  private static void count(ChangeJobsResponse.Builder response, JobRecord job) {
    String user = job.job().spec().user().name();
    response
        .setChanged(response.getChanged() + 1)
        .putUsers(user, response.getUsersOrDefault(user, 0) + 1);
  }

  private static ChangeReply await(CompletableFuture<ChangeReply> reply) {
    try {
      return reply.get(LeaderDoor.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException failure
          ? failure
          : new IllegalStateException("the loop failed", e.getCause());
    } catch (TimeoutException e) {
      throw new LeadershipLostException("no answer in time");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LeadershipLostException("interrupted while waiting for the loop");
    }
  }

  private static void fail(ChangeJobsResponse.Builder response, JobRecord job, Refusal refusal) {
    response.setFailed(response.getFailed() + 1);
    if (response.getFailuresCount() < TOLD) {
      response.addFailures(
          ChangeJobsResponse.Failure.newBuilder()
              .setName(job.name().toString())
              .setReason(refusal.reason())
              .setMessage(refusal.message()));
    }
  }
}
