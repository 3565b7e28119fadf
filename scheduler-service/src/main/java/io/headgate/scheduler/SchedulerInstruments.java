package io.headgate.scheduler;

import io.headgate.kit.telemetry.MetricDefinition;
import io.headgate.scheduler.runtime.desk.LeadershipLostException;
import io.headgate.scheduler.runtime.leadership.LeaderDoor;
import io.headgate.scheduler.runtime.leadership.NotLeadingException;
import io.headgate.scheduler.runtime.leadership.QueueFullException;
import io.headgate.scheduler.runtime.loop.LoopMetrics;
import io.headgate.scheduler.runtime.loop.Takeover;
import io.headgate.scheduler.runtime.record.Batch;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.BatchCallback;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableDoubleMeasurement;
import io.opentelemetry.api.metrics.ObservableMeasurement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Measures the scheduler under the names of [MetricNames].
final class SchedulerInstruments implements LoopMetrics {
  private static final Logger LOG = LoggerFactory.getLogger(SchedulerInstruments.class);

  private static final double NANOS = 1e9;

  private final Meter meter;
  private final String instance;
  private final JobInstruments jobs;
  private final DoubleHistogram pass;
  private final DoubleHistogram commit;
  private final DoubleHistogram delay;
  private final DoubleHistogram takeover;
  private final DoubleHistogram batchSize;
  private final LongCounter staleWrites;
  private final LongCounter violations;

  /// @param instance name of this scheduler among those of its group
  SchedulerInstruments(Meter meter, String instance) {
    this.meter = meter;
    this.instance = instance;
    this.jobs = new JobInstruments(meter);
    this.pass = MetricNames.PASS_DURATION.histogram(meter);
    this.commit = MetricNames.COMMIT_DURATION.histogram(meter);
    this.delay = MetricNames.INPUT_DELAY.histogram(meter);
    this.takeover = MetricNames.TAKEOVER_DURATION.histogram(meter);
    this.batchSize = MetricNames.BATCH_SIZE.histogram(meter);
    this.staleWrites = MetricNames.STALE_WRITES.counter(meter);
    this.violations = MetricNames.VIOLATIONS.counter(meter);
    staleWrites.add(0);
    for (Violation kind : Violation.values()) {
      violations.add(0, of(kind));
    }
  }

  @Override
  public void decided(long nanos, int inputs) {
    pass.record(nanos / NANOS);
    batchSize.record(inputs);
  }

  @Override
  public void committed(long nanos) {
    commit.record(nanos / NANOS);
  }

  @Override
  public void durable(Batch batch) {
    try {
      jobs.durable(batch);
    } catch (RuntimeException e) {
      // The batch is committed: a fault of a measurement must not end the leadership.
      LOG.error("a batch was not measured", e);
    }
  }

  @Override
  public void violated(Violation kind) {
    violations.add(1, of(kind));
  }

  private static Attributes of(Violation kind) {
    return Attributes.of(MetricNames.KIND, kind.name().toLowerCase(Locale.ROOT));
  }

  @Override
  public void delayed(long nanos) {
    delay.record(nanos / NANOS);
  }

  @Override
  public void refusedStale() {
    staleWrites.add(1);
  }

  @Override
  public void tookOver(Takeover.Part part, long nanos) {
    if (part == Takeover.Part.BUILD) {
      jobs.begin();
    }
    takeover.record(
        nanos / NANOS, Attributes.of(MetricNames.PART, part.name().toLowerCase(Locale.ROOT)));
  }

  /// Observes the gauges at every collection.
  ///
  /// @return closed by the caller when this process ends
  BatchCallback observe(LeaderDoor door) {
    Map<MetricDefinition, ObservableDoubleMeasurement> gauges = new HashMap<>();
    for (MetricDefinition name : MetricNames.GAUGES) {
      gauges.put(name, name.gauge(meter).buildObserver());
    }
    for (MetricDefinition name : MetricNames.OBSERVED_COUNTERS) {
      gauges.put(name, name.doubleCounter(meter).buildObserver());
    }
    List<ObservableMeasurement> all = new ArrayList<>(gauges.values());
    ObservableMeasurement first = all.removeFirst();
    return meter.batchCallback(
        () -> {
          for (Gauges.Reading reading : readings(door)) {
            Objects.requireNonNull(gauges.get(reading.name()))
                .record(reading.value(), reading.attributes());
          }
        },
        first,
        all.toArray(new ObservableMeasurement[0]));
  }

  private List<Gauges.Reading> readings(LeaderDoor door) {
    Attributes own = Attributes.of(MetricNames.INSTANCE, instance);
    List<Gauges.Reading> readings = new ArrayList<>();
    readings.add(new Gauges.Reading(MetricNames.LEADER, door.isLeading() ? 1 : 0, own));
    readings.add(new Gauges.Reading(MetricNames.QUEUE_LENGTH, door.queued(), own));
    door.leadership()
        .ifPresent(leadership ->
            readings.add(new Gauges.Reading(MetricNames.EPOCH, leadership.epoch(), own)));
    if (door.isLeading()) {
      try {
        List<Gauges.Reading> led = door.ask(Gauges::read);
        jobs.expect(Gauges.queues(led));
        readings.addAll(led);
      } catch (NotLeadingException | LeadershipLostException | QueueFullException e) {
        LOG.debug("the decision loop gave no readings; its gauges are left out", e);
      }
    }
    return FairSeries.bound(readings);
  }
}
