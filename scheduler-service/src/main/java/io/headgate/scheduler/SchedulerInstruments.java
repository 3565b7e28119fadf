package io.headgate.scheduler;

import io.headgate.scheduler.MetricNames.Name;
import io.headgate.scheduler.runtime.desk.LeadershipLostException;
import io.headgate.scheduler.runtime.leadership.LeaderDoor;
import io.headgate.scheduler.runtime.leadership.NotLeadingException;
import io.headgate.scheduler.runtime.leadership.QueueFullException;
import io.headgate.scheduler.runtime.loop.LoopMetrics;
import io.headgate.scheduler.runtime.loop.Takeover;
import io.headgate.scheduler.runtime.record.Batch;
import io.headgate.scheduler.runtime.record.EventRecord;
import io.headgate.scheduler.runtime.record.EventType;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.BatchCallback;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.LongHistogram;
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
  private final DoubleHistogram pass;
  private final DoubleHistogram commit;
  private final DoubleHistogram delay;
  private final DoubleHistogram takeover;
  private final LongHistogram batchSize;
  private final LongCounter staleWrites;
  private final LongCounter preemptions;
  private final LongCounter finished;
  private final LongCounter decisions;

  SchedulerInstruments(Meter meter) {
    this.meter = meter;
    this.pass = histogram(MetricNames.PASS_DURATION);
    this.commit = histogram(MetricNames.COMMIT_DURATION);
    this.delay = histogram(MetricNames.INPUT_DELAY);
    this.takeover = histogram(MetricNames.TAKEOVER_DURATION);
    this.batchSize =
        meter
            .histogramBuilder(MetricNames.BATCH_SIZE.name())
            .setUnit(MetricNames.BATCH_SIZE.unit())
            .setDescription(MetricNames.BATCH_SIZE.description())
            .ofLongs()
            .build();
    this.staleWrites = counter(MetricNames.STALE_WRITES);
    this.preemptions = counter(MetricNames.PREEMPTIONS);
    this.finished = counter(MetricNames.FINISHED);
    this.decisions = counter(MetricNames.DECISIONS);
  }

  private DoubleHistogram histogram(Name name) {
    return meter
        .histogramBuilder(name.name())
        .setUnit(name.unit())
        .setDescription(name.description())
        .build();
  }

  private LongCounter counter(Name name) {
    return meter
        .counterBuilder(name.name())
        .setUnit(name.unit())
        .setDescription(name.description())
        .build();
  }

  @Override
  public void decided(long nanos, int inputs) {
    pass.record(nanos / NANOS);
    batchSize.record(inputs);
  }

  @Override
  public void committed(long nanos, Batch batch) {
    commit.record(nanos / NANOS);
    if (!batch.holds().isEmpty()) {
      decisions.add(batch.holds().size(), Attributes.of(MetricNames.EFFECT, "hold"));
    }
    if (!batch.releasedHolds().isEmpty()) {
      decisions.add(batch.releasedHolds().size(), Attributes.of(MetricNames.EFFECT, "release"));
    }
    for (EventRecord event : batch.events()) {
      count(event);
    }
  }

  private void count(EventRecord event) {
    Attributes tenant = Attributes.of(MetricNames.TENANT, event.tenant().name());
    if (event.type() == EventType.PREEMPTED) {
      preemptions.add(
          1,
          tenant.toBuilder()
              .put(MetricNames.RULE, event.rule())
              .put(MetricNames.POLICY, event.policy())
              .build());
      decisions.add(1, Attributes.of(MetricNames.EFFECT, "preempt"));
    } else if (event.type() == EventType.ASSIGNED) {
      decisions.add(1, Attributes.of(MetricNames.EFFECT, "start"));
    } else if (event.type() == EventType.FINISHED) {
      finished.add(
          1,
          tenant.toBuilder()
              .put(MetricNames.QUEUE, event.queue())
              .put(MetricNames.OUTCOME, event.detail().getOrDefault("state", ""))
              .build());
    }
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
    takeover.record(
        nanos / NANOS, Attributes.of(MetricNames.PART, part.name().toLowerCase(Locale.ROOT)));
  }

  /// Observes the gauges at every collection.
  ///
  /// @return closed by the caller when this process ends
  BatchCallback observe(LeaderDoor door) {
    Map<Name, ObservableDoubleMeasurement> gauges = new HashMap<>();
    for (Name name : MetricNames.GAUGES) {
      gauges.put(
          name,
          meter
              .gaugeBuilder(name.name())
              .setUnit(name.unit())
              .setDescription(name.description())
              .buildObserver());
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

  private static List<Gauges.Reading> readings(LeaderDoor door) {
    Attributes none = Attributes.empty();
    List<Gauges.Reading> readings = new ArrayList<>();
    readings.add(new Gauges.Reading(MetricNames.LEADER, door.isLeading() ? 1 : 0, none));
    readings.add(new Gauges.Reading(MetricNames.QUEUE_LENGTH, door.queued(), none));
    door.leadership()
        .ifPresent(leadership ->
            readings.add(new Gauges.Reading(MetricNames.EPOCH, leadership.epoch(), none)));
    if (door.isLeading()) {
      try {
        readings.addAll(door.ask(Gauges::read));
      } catch (NotLeadingException | LeadershipLostException | QueueFullException e) {
        LOG.debug("the decision loop gave no readings; its gauges are left out", e);
      }
    }
    return FairSeries.bound(readings);
  }
}
