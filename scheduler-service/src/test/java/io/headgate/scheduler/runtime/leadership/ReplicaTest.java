package io.headgate.scheduler.runtime.leadership;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.api.Test;

/// The election thread survives an error of the virtual machine.
final class ReplicaTest {
  private static final Duration LEASE = Duration.ofSeconds(10);

  /// A store whose first look at the row fails with an error of the virtual machine.
  private static final class FailingStore implements SchedulerStore {
    private final SchedulerStore store;
    private final CountDownLatch looks = new CountDownLatch(2);

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
    TimeSource time = TimeSource.system();
    InMemoryStore memory = new InMemoryStore(() -> 0);
    FailingStore store = new FailingStore(memory);
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
    SchedulerStore.Candidate follower =
        new SchedulerStore.Candidate("one", "one:1", false, LEASE, LEASE);
    try (Replica replica =
        new Replica(
            new LeaderDoor(follower.address()),
            follower,
            OneLeader.SETTINGS,
            ports,
            new Alone(new GroupView(time)))) {
      replica.start();
      assertThat(store.looks.await(20, TimeUnit.SECONDS)).isTrue();
    }
  }
}
