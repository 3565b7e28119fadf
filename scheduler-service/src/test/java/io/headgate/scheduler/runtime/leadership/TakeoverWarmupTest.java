package io.headgate.scheduler.runtime.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.position.WatchPosition;
import io.headgate.kit.testing.TestClock;
import io.headgate.scheduler.runtime.catalog.CatalogSource;
import io.headgate.scheduler.runtime.catalog.CatalogUpdate;
import io.headgate.scheduler.runtime.desk.LeaderState;
import io.headgate.scheduler.runtime.loop.LeaderPorts;
import io.headgate.scheduler.runtime.loop.LeaderStart;
import io.headgate.scheduler.runtime.loop.LoopMetrics;
import io.headgate.scheduler.runtime.loop.LoopStep;
import io.headgate.scheduler.runtime.loop.Takeover;
import io.headgate.scheduler.runtime.loop.TurnMaker;
import io.headgate.scheduler.runtime.record.Batch;
import io.headgate.scheduler.runtime.record.CatalogEntry;
import io.headgate.scheduler.runtime.record.Failpoint;
import io.headgate.scheduler.runtime.record.LoadedState;
import io.headgate.scheduler.runtime.record.SchedulerStore.Candidate;
import io.headgate.scheduler.runtime.record.SchedulerStore.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// The warm-up of a follower runs the code of a take-over and leaves no trace.
final class TakeoverWarmupTest {
  private static final Candidate LEADER =
      new Candidate("a", "a:1", true, Duration.ofSeconds(10), Duration.ofSeconds(2));

  private final TestClock time = new TestClock();
  private final InMemoryStore store = new InMemoryStore(time::monotonicNanos);
  private final LeaderPorts ports =
      new LeaderPorts(
          store,
          store,
          List.of(new Known(0), new Known(1)),
          time,
          LoopMetrics.NONE,
          _ -> {
            throw new AssertionError("a warm-up reports nothing");
          },
          Failpoint.Handler.NONE,
          OneLeader::asked);

  /// One half of the catalog.
  private record Known(int half) implements CatalogSource {
    @Override
    public String name() {
      return "source-" + half;
    }

    @Override
    public CatalogUpdate decode(WatchPosition position, List<CatalogEntry> entries) {
      return OneLeader.catalog().get(half);
    }

    @Override
    public Watch watch(WatchPosition from, Consumer<CatalogUpdate> listener) {
      throw new AssertionError("a warm-up sends no request");
    }
  }

  private void oneJobWaits(Row taken) throws InterruptedException {
    List<LoopStep> steps = new ArrayList<>();
    LoadedState nothing = store.load();
    LeaderState state =
        LeaderState.load(taken.leadership(), OneLeader.SETTINGS, nothing, OneLeader.catalog(), 0);
    new TurnMaker(
            new LeaderStart(taken.leadership(), OneLeader.SETTINGS, 0, 0, Takeover.silent(ports)),
            state,
            ports,
            steps::add)
        .take(List.of(OneLeader.submit("one", Optional.empty())));
    for (LoopStep step : steps) {
      store.commit(taken.leadership(), Duration.ofSeconds(10), step.batch().orElseThrow());
    }
  }

  @Test
  void decidesAsALeaderAndWritesNothing() throws InterruptedException {
    Row taken = store.takeOver(LEADER, false).orElseThrow();
    oneJobWaits(taken);
    LoadedState before = store.load();
    assertThat(before.jobs()).hasSize(1);

    List<LoopStep> steps =
        new TakeoverWarmup("b", OneLeader.SETTINGS, ports).warmUp(store.leadership(), before);

    assertThat(steps)
        .flatExtracting(step -> step.batch().map(Batch::newJobs).orElse(List.of()))
        .extracting(job -> job.job().name().id())
        .containsExactly("warm-up");
    assertThat(store.load()).isEqualTo(before);
    assertThat(store.leadership().leadership()).isEqualTo(taken.leadership());
  }
}
