package io.headgate.scheduler;

import io.headgate.kit.process.ServiceProcess;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.scheduler.core.ledger.Entries;
import io.headgate.scheduler.runtime.record.Batch;
import io.headgate.scheduler.runtime.record.CommitResult;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.scheduler.runtime.record.LoadedState;
import io.headgate.scheduler.runtime.record.SchedulerStore;
import java.time.Duration;
import java.util.Optional;

/// A scheduler process that writes nothing into the ledger of usage. It shows what these writes
/// cost. The decisions still count usage in memory.
public final class LoadScheduler {
  private LoadScheduler() {}

  public static void main(String[] arguments) throws InterruptedException {
    new ServiceProcess<>(
            SchedulerMain.Config.class,
            "a scheduler without a ledger, for measurements",
            (config, lifecycle, _) ->
                SchedulerMain.start(config, lifecycle, LoadScheduler::withoutLedger))
        .main(arguments);
  }

  private static SchedulerService withoutLedger(
      SchedulerConfig config, Telemetry telemetry, TimeSource time) {
    return new SchedulerService(
        config, telemetry, time, Surroundings.of(config, time).withStore(WithoutLedger::new));
  }

  private record WithoutLedger(SchedulerStore store) implements SchedulerStore {
    @Override
    public CommitResult commit(Leadership leader, Duration lease, Batch batch) {
      return store.commit(leader, lease, without(batch));
    }

    private static Batch without(Batch batch) {
      return new Batch(
          batch.id(),
          batch.version(),
          batch.newJobs(),
          batch.documents(),
          batch.jobs(),
          batch.attempts(),
          batch.holds(),
          batch.releasedHolds(),
          batch.pastUse(),
          Entries.empty(),
          batch.budgets(),
          batch.waits(),
          batch.events(),
          batch.requests(),
          batch.names(),
          batch.contacts(),
          batch.catalogs());
    }

    @Override
    public Row leadership() {
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
    public Resolution resolve(Leadership leader, Duration lease, long batch) {
      return store.resolve(leader, lease, batch);
    }

    @Override
    public void release(Leadership leader) {
      store.release(leader);
    }
  }
}
