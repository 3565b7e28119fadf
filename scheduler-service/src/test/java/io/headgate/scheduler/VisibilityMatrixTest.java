package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.access;
import static io.headgate.scheduler.Fixtures.group;
import static io.headgate.scheduler.Fixtures.policy;
import static io.headgate.scheduler.Fixtures.queue;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.BlockingClientCall;
import io.grpc.stub.ClientCalls;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.ScopeMatrix;
import io.headgate.kit.testing.TestTokens;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.AccessConfiguration.Visibility;
import io.headgate.proto.scheduler.v1.BatchSubmitJobsRequest;
import io.headgate.proto.scheduler.v1.CancelJobRequest;
import io.headgate.proto.scheduler.v1.ExplainJobRequest;
import io.headgate.proto.scheduler.v1.GetJobRequest;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListEventsRequest;
import io.headgate.proto.scheduler.v1.ListPolicyUsagesRequest;
import io.headgate.proto.scheduler.v1.ListPoolUsagesRequest;
import io.headgate.proto.scheduler.v1.ListQueueUsagesRequest;
import io.headgate.proto.scheduler.v1.PoolUsage;
import io.headgate.proto.scheduler.v1.ReadJobLogsRequest;
import io.headgate.proto.scheduler.v1.RequeueJobRequest;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.proto.scheduler.v1.UpdateJobRequest;
import io.headgate.proto.scheduler.v1.UsageReportServiceGrpc;
import io.headgate.proto.scheduler.v1.UsageServiceGrpc;
import io.headgate.proto.scheduler.v1.WatchEventsRequest;
import io.headgate.proto.scheduler.v1.WatchEventsResponse;
import io.headgate.proto.scheduler.v1.WatchJobsRequest;
import io.headgate.proto.scheduler.v1.WatchJobsResponse;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The visible jobs, queues, policies and nodes of each caller, by every RPC: its own, its group's,
/// another team's, and a foreign tenant's.
final class VisibilityMatrixTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private static final String NOTHING = ACME + "/jobs/there-is-none";
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private static Installation installation;
  private static final WatchJobsRequest ALL = WatchJobsRequest.newBuilder().setParent(ACME).build();

  private static Map<Caller, Channel> channels;

  /// A caller, and how it stands to a job of alice in the queue of the group rnd.
  enum Caller {
    OWNER(true, true),
    MATE(true, false),
    SERVICE_ACCOUNT(true, false),
    LEAD(true, true),
    OTHER_TEAM(false, false),
    OTHER_LEAD(false, false),
    WITHOUT_GROUP(false, false),
    ADMIN(true, true),
    OPERATOR(true, true),
    FOREIGN_MEMBER(false, false),
    FOREIGN_ADMIN(false, false);

    final boolean sees;
    final boolean steers;

    Caller(boolean sees, boolean steers) {
      this.sees = sees;
      this.steers = steers;
    }

    boolean isForeign() {
      return this == FOREIGN_MEMBER || this == FOREIGN_ADMIN;
    }

    boolean sees(boolean isOpen) {
      return sees || (isOpen && !isForeign() && this != WITHOUT_GROUP);
    }

    boolean mayUse() {
      return sees;
    }

    String token(TestTokens tokens) {
      return switch (this) {
        case OWNER -> tokens.member("acme", "alice");
        case MATE -> tokens.member("acme", "bob");
        case SERVICE_ACCOUNT -> tokens.serviceAccount("acme", "nightly");
        case LEAD -> tokens.member("acme", "ann");
        case OTHER_TEAM -> tokens.member("acme", "eve");
        case OTHER_LEAD -> tokens.member("acme", "oskar");
        // A service account is another account than the user of its name.
        case WITHOUT_GROUP -> tokens.serviceAccount("acme", "alice");
        case ADMIN -> tokens.admin("acme");
        case OPERATOR -> tokens.operator();
        case FOREIGN_MEMBER -> tokens.member("globex", "alice", "rnd");
        case FOREIGN_ADMIN -> tokens.admin("globex");
      };
    }
  }

  @BeforeAll
  static void start() {
    installation = new Installation(POSTGRES.fresh());
    Fixtures.seedExample(installation.neighbours);
    open(false);
    installation.start().awaitReady("rnd-3");
    channels = new EnumMap<>(Caller.class);
    for (Caller caller : Caller.values()) {
      channels.put(caller, installation.channel(caller.token(installation.tokens)));
    }
    // It waits for the node, so rnd is below its reservation for a while.
    String running = Installation.submit(installation.alice(), submit("rnd-3"));
    installation.agent("a-0").connect();
    awaitState(installation.alice(), running, Job.State.STATE_RUNNING);
  }

  @AfterAll
  static void stop() {
    installation.close();
  }

  private static void open(boolean isOpen) {
    AccessConfiguration rights =
        access(
            List.of(
                group("rnd", "alice", "bob", "ann").toBuilder()
                    .addServiceAccounts("nightly")
                    .addLeads("ann")
                    .build(),
                group("devops", "eve", "oskar").toBuilder().addLeads("oskar").build()),
            List.of(policy("rnd", "rnd", "5", "9"), policy("devops", "devops", "5", "9")),
            List.of(queue("rnd-3", "rnd", "three", 1), queue("devops-3", "devops", "three", 1)));
    installation.neighbours.grant(
        ReportVisibility.withBudgets(rights).toBuilder()
            .setVisibility(
                isOpen ? Visibility.VISIBILITY_TENANT : Visibility.VISIBILITY_UNSPECIFIED)
            .build());
  }

  @TestFactory
  Stream<DynamicTest> membersSeeTheirOwnAndTheirGroups() {
    return matrix(false).tests(installation.services());
  }

  @TestFactory
  Stream<DynamicTest> membersOfAnOpenTenantSeeAll() {
    return matrix(true).tests(installation.services());
  }

  private static ScopeMatrix matrix(boolean isOpen) {
    return new ScopeMatrix()
        .with(
            JobServiceGrpc.getGetJobMethod(),
            () ->
                ofJobs(
                    isOpen,
                    (jobs, name) -> jobs.getJob(GetJobRequest.newBuilder().setName(name).build())))
        .with(
            JobServiceGrpc.getExplainJobMethod(),
            () ->
                ofJobs(
                    isOpen,
                    (jobs, name) ->
                        jobs.explainJob(ExplainJobRequest.newBuilder().setName(name).build())))
        .with(
            JobServiceGrpc.getReadJobLogsMethod(),
            () ->
                ofJobs(
                    isOpen,
                    (jobs, name) ->
                        jobs.readJobLogs(ReadJobLogsRequest.newBuilder().setName(name).build())
                            .hasNext()))
        .with(
            JobServiceGrpc.getCancelJobMethod(),
            () ->
                steering(
                    isOpen,
                    (jobs, name) ->
                        jobs.cancelJob(CancelJobRequest.newBuilder().setName(name).build())))
        .with(
            JobServiceGrpc.getRequeueJobMethod(),
            () ->
                steering(
                    isOpen,
                    (jobs, name) ->
                        jobs.requeueJob(RequeueJobRequest.newBuilder().setName(name).build())))
        .with(
            JobServiceGrpc.getUpdateJobMethod(),
            () ->
                steering(
                    isOpen,
                    (jobs, name) ->
                        jobs.updateJob(
                            UpdateJobRequest.newBuilder().setName(name).setPriority(1).build())))
        .with(JobServiceGrpc.getCancelJobsMethod(), () -> ManyJobsVisibility.cancelsMany(isOpen))
        .with(JobServiceGrpc.getRequeueJobsMethod(), () -> ManyJobsVisibility.requeuesMany(isOpen))
        .with(JobServiceGrpc.getListJobsMethod(), () -> ManyJobsVisibility.lists(isOpen))
        .with(JobServiceGrpc.getWatchJobsMethod(), () -> watchesJobs(isOpen))
        .with(JobServiceGrpc.getListEventsMethod(), () -> listsEvents(isOpen))
        .with(JobServiceGrpc.getWatchEventsMethod(), () -> watchesEvents(isOpen))
        .with(JobServiceGrpc.getSubmitJobMethod(), () -> submits(isOpen))
        .with(JobServiceGrpc.getBatchSubmitJobsMethod(), () -> submitsBatches(isOpen))
        .with(UsageServiceGrpc.getListPolicyUsagesMethod(), () -> usesOfPolicies(isOpen))
        .with(UsageServiceGrpc.getListQueueUsagesMethod(), () -> usesOfQueues(isOpen))
        .with(UsageServiceGrpc.getListPoolUsagesMethod(), () -> usesOfPools(isOpen))
        .with(
            UsageServiceGrpc.getListNodeUsagesMethod(), () -> ReportVisibility.usesOfNodes(isOpen))
        .with(
            UsageReportServiceGrpc.getReportUsageMethod(),
            () -> ReportVisibility.reportsUsage(isOpen))
        .with(
            UsageReportServiceGrpc.getReportReservationsMethod(),
            () -> ReportVisibility.reportsReservations(isOpen))
        .with(
            UsageReportServiceGrpc.getReportCapacityMethod(),
            () -> ReportVisibility.reportsCapacity(isOpen))
        .with(
            UsageReportServiceGrpc.getListUsageIntervalsMethod(),
            () -> ReportVisibility.listsIntervals(isOpen))
        .with(
            UsageReportServiceGrpc.getReportBudgetsMethod(),
            () -> ReportVisibility.reportsBudgets(isOpen));
  }

  private interface OfJob {
    Object call(JobServiceBlockingStub jobs, String name);
  }

  interface Check {
    void of(Caller caller, JobServiceBlockingStub jobs);
  }

  static void each(boolean isOpen, Check check) {
    open(isOpen);
    // Rights come by a watch: wait until another team sees the queue, or does not.
    await()
        .atMost(Installation.PATIENCE)
        .until(() ->
            installation
                    .usage(installation.tokens.member("acme", "eve"))
                    .listQueueUsages(ListQueueUsagesRequest.newBuilder().setParent(ACME).build())
                    .getUsagesCount()
                == (isOpen ? 2 : 1));
    for (Caller caller : Caller.values()) {
      check.of(caller, JobServiceGrpc.newBlockingStub(channels.get(caller)));
    }
  }

  static JobServiceBlockingStub alice() {
    return installation.alice();
  }

  static Channel channel(Caller caller) {
    return channels.get(caller);
  }

  static UsageServiceGrpc.UsageServiceBlockingStub usage(Caller caller) {
    return UsageServiceGrpc.newBlockingStub(channels.get(caller));
  }

  /// The reason of the refusal, with the name of the job taken out of its words, or OK.
  static String outcome(String name, Runnable call) {
    try {
      call.run();
      return "OK";
    } catch (StatusRuntimeException e) {
      Refusal refusal =
          GrpcFailures.refusal(e).orElseThrow(() -> new AssertionError("no details", e));
      String id = name.substring(name.lastIndexOf('/') + 1);
      return refusal.reason() + ": " + refusal.message().replace(id, "JOB");
    }
  }

  /// A draft of alice.
  static String fresh() {
    SubmitJobRequest draft = submit("rnd-3", "of-alice-" + NUMBER.incrementAndGet());
    return installation
        .alice()
        .submitJob(draft.toBuilder().setSpec(draft.getSpec().toBuilder().setDraft(true)).build())
        .getName();
  }

  private static void ofJobs(boolean isOpen, OfJob call) {
    String job = fresh();
    each(
        isOpen,
        (caller, jobs) -> {
          String absent = outcome(NOTHING, () -> call.call(jobs, NOTHING));
          String outcome = outcome(job, () -> call.call(jobs, job));
          if (caller.sees(isOpen)) {
            assertThat(outcome).as("%s", caller).doesNotContain("JOB_NOT_FOUND");
          } else {
            assertThat(outcome).as("%s", caller).isEqualTo(absent).contains("NOT_FOUND");
          }
        });
  }

  private static void steering(boolean isOpen, OfJob call) {
    each(
        isOpen,
        (caller, jobs) -> {
          String job = fresh();
          String absent = outcome(NOTHING, () -> call.call(jobs, NOTHING));
          String outcome = outcome(job, () -> call.call(jobs, job));
          if (caller.steers) {
            assertThat(outcome).as("%s", caller).isEqualTo("OK");
          } else if (caller.sees(isOpen)) {
            assertThat(outcome).as("%s", caller).startsWith("NOT_OWNER");
          } else {
            assertThat(outcome).as("%s", caller).isEqualTo(absent).contains("NOT_FOUND");
          }
        });
  }

  private static void watchesJobs(boolean isOpen) {
    String job = fresh();
    each(
        isOpen,
        (caller, jobs) -> {
          List<String> seen = new ArrayList<>();
          String outcome =
              outcome(
                  "",
                  () -> {
                    try (Watch<WatchJobsRequest, WatchJobsResponse> watch = watch(caller, ALL)) {
                      WatchJobsResponse part;
                      do {
                        part = watch.next();
                        part.getJobsList().forEach(each -> seen.add(each.getName()));
                        assertThat(part.getRemovedJobsList()).isEmpty();
                      } while (!part.getSnapshotComplete());
                    }
                  });
          assertThat(outcome)
              .as("%s", caller)
              .startsWith(caller.isForeign() ? "TENANT_NOT_FOUND" : "OK");
          assertThat(seen.contains(job)).as("%s", caller).isEqualTo(caller.sees(isOpen));
        });
  }

  private static void listsEvents(boolean isOpen) {
    String job = fresh();
    String id = job.substring(job.lastIndexOf('/') + 1);
    ListEventsRequest all =
        ListEventsRequest.newBuilder().setParent(ACME).setPageSize(1000).build();
    each(
        isOpen,
        (caller, jobs) -> {
          if (caller.isForeign()) {
            assertThat(outcome("", () -> jobs.listEvents(all))).startsWith("TENANT_NOT_FOUND");
            return;
          }
          assertThat(
                  jobs.listEvents(all).getEventsList().stream()
                      .anyMatch(event -> event.getJob().equals(id)))
              .as("%s", caller)
              .isEqualTo(caller.sees(isOpen));
          String ofOne = outcome(job, () -> jobs.listEvents(all.toBuilder().setJob(id).build()));
          assertThat(ofOne.startsWith("JOB_NOT_FOUND")).isEqualTo(!caller.sees(isOpen));
        });
  }

  private static void watchesEvents(boolean isOpen) {
    each(
        isOpen,
        (caller, jobs) -> {
          if (caller.isForeign()) {
            return;
          }
          WatchEventsRequest request =
              WatchEventsRequest.newBuilder().setParent(ACME).setVersion(1).build();
          String job = fresh();
          String id = job.substring(job.lastIndexOf('/') + 1);
          long version =
              installation
                  .jobs(installation.tokens.operator())
                  .getJob(GetJobRequest.newBuilder().setName(job).build())
                  .getVersion();
          List<String> seen = new ArrayList<>();
          try (Watch<WatchEventsRequest, WatchEventsResponse> watch =
              new Watch<>(channels.get(caller), JobServiceGrpc.getWatchEventsMethod(), request)) {
            long read = 0;
            while (read < version) {
              WatchEventsResponse part = watch.next();
              part.getEventsList().forEach(event -> seen.add(event.getJob()));
              read = part.getVersion();
            }
          }
          assertThat(seen.contains(id)).as("%s", caller).isEqualTo(caller.sees(isOpen));
        });
  }

  private static void submits(boolean isOpen) {
    SubmitJobRequest valid = submit("rnd-3").toBuilder().setValidateOnly(true).build();
    each(isOpen, (caller, jobs) -> checkSubmission(isOpen, caller, () -> jobs.submitJob(valid)));
  }

  private static void submitsBatches(boolean isOpen) {
    each(
        isOpen,
        (caller, jobs) -> {
          SubmitJobRequest one = submit("rnd-3");
          BatchSubmitJobsRequest batch =
              BatchSubmitJobsRequest.newBuilder()
                  .setParent(ACME)
                  .addRequests(
                      one.toBuilder().setSpec(one.getSpec().toBuilder().setDraft(true)).build())
                  .build();
          checkSubmission(isOpen, caller, () -> jobs.batchSubmitJobs(batch));
        });
  }

  private static void checkSubmission(boolean isOpen, Caller caller, Runnable call) {
    String outcome = outcome("", call);
    if (caller.isForeign()) {
      assertThat(outcome).startsWith("TENANT_NOT_FOUND");
    } else if (caller.mayUse()) {
      assertThat(outcome).as("%s", caller).isEqualTo("OK");
    } else if (caller.sees(isOpen)) {
      assertThat(outcome).as("%s", caller).startsWith("NOT_ADMITTED");
    } else {
      assertThat(outcome)
          .as("%s", caller)
          .startsWith("QUEUE_NOT_FOUND")
          .doesNotContain("did you mean 'rnd");
    }
  }

  private static void usesOfPolicies(boolean isOpen) {
    ListPolicyUsagesRequest request = ListPolicyUsagesRequest.newBuilder().setParent(ACME).build();
    each(
        isOpen,
        (caller, _) -> {
          if (!caller.isForeign()) {
            assertThat(
                    usage(caller).listPolicyUsages(request).getUsagesList().stream()
                        .anyMatch(use -> use.getPolicy().equals("rnd")))
                .as("%s", caller)
                .isEqualTo(caller.sees(isOpen));
          }
        });
  }

  private static void usesOfQueues(boolean isOpen) {
    ListQueueUsagesRequest request = ListQueueUsagesRequest.newBuilder().setParent(ACME).build();
    each(
        isOpen,
        (caller, _) -> {
          if (!caller.isForeign()) {
            assertThat(
                    usage(caller).listQueueUsages(request).getUsagesList().stream()
                        .anyMatch(use -> use.getQueue().equals("rnd-3")))
                .as("%s", caller)
                .isEqualTo(caller.sees(isOpen));
          }
        });
  }

  private static void usesOfPools(boolean isOpen) {
    ListPoolUsagesRequest request = ListPoolUsagesRequest.newBuilder().setParent(ACME).build();
    each(
        isOpen,
        (caller, _) -> {
          if (!caller.isForeign()) {
            PoolUsage whole = usage(Caller.OPERATOR).listPoolUsages(request).getUsages(0);
            assertThat(whole.getUsed()).isNotEqualTo("0");
            PoolUsage seen = usage(caller).listPoolUsages(request).getUsages(0);
            assertThat(seen.toBuilder().clearWaitingJobs().build())
                .as("%s sees that capacity is taken", caller)
                .isEqualTo(whole.toBuilder().clearWaitingJobs().build());
            assertThat(seen.getWaitingJobs() == 0 || caller.sees(isOpen))
                .as("%s, waiting jobs", caller)
                .isTrue();
          }
        });
  }

  @Test
  void aWatchOfJobsBeginsAgainWhenItsCallerSeesMoreJobs() {
    String job = fresh();
    open(false);
    try (Watch<WatchJobsRequest, WatchJobsResponse> watch = watch(Caller.OTHER_TEAM, ALL)) {
      // The scheduler may learn only now that the tenant is closed.
      while (names(snapshot(watch)).contains(job)) {}
      open(true);
      assertThat(names(snapshot(watch))).contains(job);
      open(false);
      assertThat(names(snapshot(watch))).doesNotContain(job);
    }
  }

  @Test
  void aResumedWatchOfJobsBeginsAgainWhenItsCallerSeesOtherJobsThanBefore() {
    String job = fresh();
    open(true);
    WatchJobsRequest.Builder resumed = ALL.toBuilder();
    try (Watch<WatchJobsRequest, WatchJobsResponse> watch = watch(Caller.OTHER_TEAM, ALL)) {
      List<WatchJobsResponse> all = snapshot(watch);
      while (!names(all).contains(job)) {
        all = snapshot(watch);
      }
      WatchJobsResponse last = all.getLast();
      resumed.setVersion(last.getVersion()).setVisibilityHash(last.getVisibilityHash());
    }
    open(false);
    try (Watch<WatchJobsRequest, WatchJobsResponse> watch =
        watch(Caller.OTHER_TEAM, resumed.build())) {
      assertThat(names(snapshot(watch))).doesNotContain(job);
    }
  }

  private static Watch<WatchJobsRequest, WatchJobsResponse> watch(
      Caller caller, WatchJobsRequest from) {
    return new Watch<>(channels.get(caller), JobServiceGrpc.getWatchJobsMethod(), from);
  }

  /// The next whole snapshot.
  private static List<WatchJobsResponse> snapshot(
      Watch<WatchJobsRequest, WatchJobsResponse> watch) {
    List<WatchJobsResponse> parts = new ArrayList<>(List.of(watch.next()));
    while (!parts.getLast().getSnapshot()) {
      parts.set(0, watch.next());
    }
    while (!parts.getLast().getSnapshotComplete()) {
      parts.add(watch.next());
    }
    return parts;
  }

  private static List<String> names(List<WatchJobsResponse> parts) {
    return parts.stream().flatMap(part -> part.getJobsList().stream()).map(Job::getName).toList();
  }

  /// A stream that is read message by message.
  private record Watch<Q, R>(BlockingClientCall<Q, R> call) implements AutoCloseable {
    Watch(Channel channel, MethodDescriptor<Q, R> method, Q request) {
      this(
          ClientCalls.blockingV2ServerStreamingCall(
              channel,
              method,
              CallOptions.DEFAULT.withDeadlineAfter(Installation.PATIENCE),
              request));
    }

    R next() {
      try {
        R message = call.read();
        if (message == null) {
          throw new AssertionError("the watch has ended");
        }
        return message;
      } catch (StatusException e) {
        throw e.getStatus().asRuntimeException(e.getTrailers());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError(e);
      }
    }

    @Override
    public void close() {
      call.cancel("seen enough", null);
    }
  }
}
