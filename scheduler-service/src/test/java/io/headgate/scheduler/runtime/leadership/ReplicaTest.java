package io.headgate.scheduler.runtime.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.seal.KeyMissingException;
import io.headgate.kit.time.TimeSource;
import io.headgate.scheduler.runtime.loop.LeaderPorts;
import io.headgate.scheduler.runtime.loop.LoopMetrics;
import io.headgate.scheduler.runtime.record.Batch;
import io.headgate.scheduler.runtime.record.CommitResult;
import io.headgate.scheduler.runtime.record.Failpoint;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.scheduler.runtime.record.LoadedState;
import io.headgate.scheduler.runtime.record.SchedulerStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// The election thread survives errors, and holds no lease that it cannot use.
final class ReplicaTest {
  private static final Duration LEASE = Duration.ofSeconds(10);

  /// A store whose first look at the row fails with an error of the virtual machine.
  private static class FailingStore implements SchedulerStore {
    private final SchedulerStore store;
    final CountDownLatch looks = new CountDownLatch(2);

    FailingStore(SchedulerStore store) {
      this.store = store;
    }

    @Override
    public Row leadership() {
      looks.countDown();
      if (looks.getCount() == 1) {
        throw new NoClassDefFoundError("a class that cannot be loaded now");
      }
      return store.leadership();
    }

    @Override
    public Optional<Row> takeOver(Candidate candidate, boolean holderLost) {
      return store.takeOver(candidate, holderLost);
    }

    @Override
    public LoadedState load() {
      return store.load();
    }

    @Override
    public LoadedState sample(int jobs) {
      return store.sample(jobs);
    }

    @Override
    public CommitResult commit(Leadership leader, Duration lease, Batch batch) {
      return store.commit(leader, lease, batch);
    }

    @Override
    public Resolution resolve(Leadership leader, Duration lease, long batch) {
      return store.resolve(leader, lease, batch);
    }

    @Override
    public void release(Leadership leader) {
      store.release(leader);
    }
  }

  /// A group of one replica.
  private record Alone(GroupView view) implements Members {
    @Override
    public void start() {}

    @Override
    public Group group() {
      return view.group();
    }

    @Override
    public void awaitChange(Duration atMost) throws InterruptedException {
      view.awaitChange(atMost);
    }

    @Override
    public boolean refuses(String address) {
      return false;
    }

    @Override
    public void close() {
      view.close();
    }
  }

  @Test
  void anErrorDoesNotEndTheElection() throws InterruptedException {
    InMemoryStore memory = new InMemoryStore(() -> 0);
    FailingStore store = new FailingStore(memory);
    try (Replica replica = replica(store, memory, false)) {
      replica.start();
      assertThat(store.looks.await(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aReplicaThatCannotLoadLetsOthersLead() throws InterruptedException {
    InMemoryStore memory = new InMemoryStore(() -> 0);
    CountDownLatch released = new CountDownLatch(1);
    AtomicInteger taken = new AtomicInteger();
    FailingStore store =
        new FailingStore(memory) {
          @Override
          public Optional<Row> takeOver(Candidate candidate, boolean holderLost) {
            taken.incrementAndGet();
            return super.takeOver(candidate, holderLost);
          }

          @Override
          public LoadedState load() {
            throw new KeyMissingException("the catalog is sealed with another key");
          }

          @Override
          public void release(Leadership leader) {
            super.release(leader);
            released.countDown();
          }
        };
    try (Replica replica = replica(store, memory, true)) {
      replica.start();
      assertThat(released.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(memory.leadership().leadership().leader()).isEmpty();
    }
    assertThat(taken).as("it stands back").hasValue(1);
  }

  private static Replica replica(SchedulerStore store, InMemoryStore memory, boolean mayLead) {
    TimeSource time = TimeSource.system();
    LeaderPorts ports =
        new LeaderPorts(
            store,
            memory,
            List.of(),
            time,
            LoopMetrics.NONE,
            _ -> {},
            Failpoint.Handler.NONE,
            OneLeader::asked);
    SchedulerStore.Candidate candidate =
        new SchedulerStore.Candidate("one", "one:1", mayLead, LEASE, LEASE);
    return new Replica(
        new LeaderDoor(candidate.address()),
        candidate,
        OneLeader.SETTINGS,
        ports,
        new Alone(new GroupView(time)));
  }
}
