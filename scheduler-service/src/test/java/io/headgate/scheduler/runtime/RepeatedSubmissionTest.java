package io.headgate.scheduler.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.TestClock;
import io.headgate.kit.watch.WatchPosition;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.runtime.Command.SubmitReply;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What is submitted again while it is not durable yet is not taken twice: the database would
/// refuse the transaction, and the leader would end with it.
final class RepeatedSubmissionTest {
  private static final TenantId TENANT = new TenantId("acme");
  private static final QueueId QUEUE = new QueueId(TENANT, "queue");

  private final List<Step> steps = new ArrayList<>();
  private TurnMaker turns;

  @BeforeEach
  void lead() {
    TestClock time = new TestClock();
    Leadership leadership =
        new Leadership(new UUID(0, 1), 1, Optional.of("a"), Optional.of("a:1"), Optional.empty());
    LoopSettings settings =
        new LoopSettings(
            SchedulerCore.DEFAULT_PLACEMENT,
            Duration.ofSeconds(10),
            Duration.ofSeconds(2),
            Duration.ofSeconds(10),
            Duration.ofSeconds(10),
            Duration.ofMinutes(2),
            100,
            100,
            100,
            100);
    LoadedState nothing =
        new LoadedState(List.of(), List.of(), List.of(), List.of(), Map.of(), 0, 0, 0);
    LeaderState state = LeaderState.load(leadership, settings, nothing, catalog(), 0);
    InMemoryStore store = new InMemoryStore(time::monotonicNanos);
    LeaderPorts ports =
        new LeaderPorts(
            store, store, List.of(), time, LoopMetrics.NONE, _ -> {}, Failpoint.Handler.NONE);
    turns = new TurnMaker(new LeaderStart(leadership, settings, 0, 0), state, ports, steps::add);
  }

  private static List<CatalogUpdate> catalog() {
    Batch.CatalogChange kept =
        new Batch.CatalogChange(WatchPosition.START, true, List.of(), List.of());
    PoolId pool = new PoolId(TENANT, "pool");
    ProfileId profile = new ProfileId(TENANT, "none");
    PolicyId policy = new PolicyId(TENANT, "policy");
    return List.of(
        new CatalogUpdate.OfSupply(
            kept,
            List.of(
                new Supply(
                    TENANT,
                    1,
                    List.of(new Supply.OfferedPool(Pool.of(pool), Optional.empty())),
                    List.of(Profile.of(profile, GpuQuantity.ZERO, List.of(pool))))),
            List.of(),
            List.of(),
            List.of()),
        new CatalogUpdate.OfAccess(
            kept,
            List.of(
                new Access(
                    TENANT,
                    1,
                    List.of(new Access.Group("all", Set.of("users/alice"))),
                    List.of(
                        new Access.Rights(
                            Policy.of(policy, GpuQuantity.ZERO, GpuQuantity.ONE),
                            "all",
                            Optional.empty())),
                    List.of(new Queue(QUEUE, policy, profile, 1, true, true)))),
            List.of()));
  }

  private static Command.Submit submit(String name, Optional<Submission.RequestKey> request) {
    return new Command.Submit(
        new Submission(
            List.of(
                new Submission.NewJob(
                    new JobName(TENANT, name),
                    QUEUE,
                    new UserId("alice"),
                    "users/alice",
                    false,
                    0,
                    Optional.empty(),
                    Optional.empty(),
                    List.of(),
                    "",
                    false,
                    Document.EMPTY)),
            request,
            List.of()),
        new CompletableFuture<>());
  }

  private static Optional<Submission.RequestKey> request(String fingerprint) {
    return Optional.of(new Submission.RequestKey("users/alice", "request", fingerprint));
  }

  private long newJobs() {
    return steps.stream()
        .flatMap(step -> step.batch().stream())
        .mapToLong(batch -> batch.newJobs().size())
        .sum();
  }

  private void act() {
    steps.forEach(step -> step.replies().forEach(Turn.Reply::give));
  }

  private static List<JobName> accepted(Command.Submit submit) {
    return ((SubmitReply.Accepted) submit.reply().join())
        .jobs().stream().map(view -> view.job().name()).toList();
  }

  @Test
  void answersTheSameRequestWithTheSameJobs() throws InterruptedException {
    Command.Submit first = submit("j", request("content"));
    Command.Submit inOneTurn = submit("j", request("content"));
    Command.Submit later = submit("j", request("content"));
    turns.take(List.of(first, inOneTurn));
    turns.take(List.of(later));
    assertThat(later.reply()).as("nothing is said before it is durable").isNotDone();
    act();
    assertThat(newJobs()).isEqualTo(1);
    assertThat(accepted(first)).containsExactly(new JobName(TENANT, "j"));
    assertThat(accepted(inOneTurn)).isEqualTo(accepted(first));
    assertThat(accepted(later)).isEqualTo(accepted(first));
  }

  @Test
  void takesANameOnce() throws InterruptedException {
    Command.Submit first = submit("j", Optional.empty());
    Command.Submit second = submit("j", Optional.empty());
    Command.Submit third = submit("j", request("other content"));
    turns.take(List.of(first, second, third));
    act();
    assertThat(newJobs()).isEqualTo(1);
    assertThat(accepted(first)).containsExactly(new JobName(TENANT, "j"));
    assertThat(second.reply()).isCompletedExceptionally();
    assertThat(third.reply()).isCompletedExceptionally();
  }
}
