package io.headgate.agent.runtime.telemetry;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptReport;
import io.headgate.agent.core.AttemptState;
import io.headgate.agent.core.EndReason;
import io.headgate.agent.core.MemoryMeter;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.process.JobUsage;
import io.headgate.agent.runtime.watch.DeviceWatch;
import io.headgate.agent.runtime.watch.JobMeter;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableLongMeasurement;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// All that the agent measures: the names are here, those of devices in [DeviceInstruments], and
/// nowhere else.
public final class AgentInstruments implements AutoCloseable {
  private static final String SCOPE = "io.headgate.agent";

  private static final String CONNECTED = "headgate.agent.connected";
  private static final String ATTEMPTS = "headgate.agent.attempts";
  private static final String UPDATES_PENDING = "headgate.agent.updates.pending";
  private static final String START_DURATION = "headgate.agent.start.duration";
  private static final String STOP_DURATION = "headgate.agent.stop.duration";
  private static final String SLICES = "headgate.slice.count";
  private static final String REALISE_DURATION = "headgate.slice.realise.duration";
  private static final String RELEASE_DURATION = "headgate.slice.release.duration";

  private static final String JOB_CPU = "headgate.job.cpu.time";
  private static final String JOB_MEMORY = "headgate.job.memory.usage";
  private static final String JOB_OOM_KILLS = "headgate.job.oom_kills";
  private static final String ENFORCEMENT = "headgate.enforcement.actions";

  private static final AttributeKey<String> NODE = AttributeKey.stringKey("headgate.node");
  private static final AttributeKey<String> STATE = AttributeKey.stringKey("headgate.state");
  private static final AttributeKey<String> PHASE = AttributeKey.stringKey("headgate.phase");
  private static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("headgate.outcome");
  private static final AttributeKey<String> MECHANISM =
      AttributeKey.stringKey("headgate.mechanism");
  private static final AttributeKey<String> ISOLATION =
      AttributeKey.stringKey("headgate.isolation");
  private static final AttributeKey<String> TENANT = AttributeKey.stringKey("headgate.tenant");
  private static final AttributeKey<String> QUEUE = AttributeKey.stringKey("headgate.queue");
  private static final AttributeKey<Long> SLOT = AttributeKey.longKey("headgate.slot");
  private static final AttributeKey<String> ACTION = AttributeKey.stringKey("headgate.action");
  private static final AttributeKey<String> JOB = AttributeKey.stringKey("headgate.job");
  private static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("headgate.attempt");

  private static final List<Double> BUCKETS_SECONDS =
      List.of(0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0);

  private final Meter meter;
  private final Tracer tracer;
  private final TimeSource time;
  private final String node;
  private final DeviceInstruments devices;
  private final List<Runnable> closings = new CopyOnWriteArrayList<>();
  private final DoubleHistogram startDuration;
  private final DoubleHistogram stopDuration;
  private final DoubleHistogram realiseDuration;
  private final DoubleHistogram releaseDuration;
  private final LongCounter enforcement;

  public AgentInstruments(Telemetry telemetry, TimeSource time, String node) {
    this.meter = telemetry.meter(SCOPE);
    this.tracer = telemetry.tracer(SCOPE);
    this.time = time;
    this.node = node;
    this.devices = new DeviceInstruments(telemetry, SCOPE, node);
    this.startDuration = histogram(START_DURATION, "From the assignment to the running program.");
    this.stopDuration = histogram(STOP_DURATION, "One phase of a stop.");
    this.realiseDuration = histogram(REALISE_DURATION, "Making the slices of an attempt.");
    this.releaseDuration = histogram(RELEASE_DURATION, "From the end of a job to free slices.");
    this.enforcement = meter.counterBuilder(ENFORCEMENT).setUnit("{action}").build();
  }

  /// The start of an attempt: a span in the job's trace.
  public final class Timing implements AutoCloseable {
    private final Span span;
    private final Assignment assignment;
    private final long begunNanos = time.monotonicNanos();

    private Timing(Assignment assignment) {
      this.assignment = assignment;
      this.span = span("agent.start", assignment, inherited(assignment));
    }

    /// The context that the job continues: the span of its attempt, even if this agent writes none.
    public String traceparent() {
      return assignment.traceparent();
    }

    /// The making of the attempt's slices, a part of the start; it ends when it is closed.
    public Making makingSlices(List<SlicePlan> plans) {
      return new Making(span, assignment, plans.getFirst().mechanism());
    }

    @Override
    public void close() {
      span.end();
      startDuration.record(seconds(Duration.ofNanos(time.monotonicNanos() - begunNanos)), node());
    }
  }

  /// The making of an attempt's slices.
  public final class Making implements AutoCloseable {
    private final Span span;
    private final Attributes attributes;
    private final long begunNanos = time.monotonicNanos();

    private Making(Span start, Assignment assignment, String mechanism) {
      this.span = span("agent.slices", assignment, Context.root().with(start));
      span.setAttribute(MECHANISM, mechanism);
      this.attributes = node().toBuilder().put(MECHANISM, mechanism).build();
    }

    @Override
    public void close() {
      span.end();
      realiseDuration.record(
          seconds(Duration.ofNanos(time.monotonicNanos() - begunNanos)), attributes);
    }
  }

  /// The stop of an attempt, until its slices are free: a span in the job's trace.
  public Span stopping(Assignment assignment) {
    return span("agent.stop", assignment, inherited(assignment));
  }

  private static Context inherited(Assignment assignment) {
    return W3CTraceContextPropagator.getInstance()
        .extract(
            Context.root(), Map.of("traceparent", assignment.traceparent()), MapGetter.INSTANCE);
  }

  private Span span(String name, Assignment assignment, Context parent) {
    return tracer
        .spanBuilder(name)
        .setParent(parent)
        .setSpanKind(SpanKind.INTERNAL)
        .setAttribute(NODE, node)
        .setAttribute(TENANT, assignment.key().job().tenant())
        .setAttribute(QUEUE, assignment.queue())
        .setAttribute(JOB, assignment.key().job().id())
        .setAttribute(ATTEMPT, (long) assignment.key().attempt())
        .startSpan();
  }

  public Timing starting(Assignment assignment) {
    return new Timing(assignment);
  }

  public void attemptReleased(Duration took) {
    releaseDuration.record(seconds(took), node());
  }

  public void enforced(Enforcement action) {
    enforcement.add(1, node().toBuilder().put(ACTION, word(action)).build());
  }

  /// A phase of a stop is over, or the attempt.
  public void reported(AttemptReport report) {
    if (report.end().filter(end -> end.reason() == EndReason.LIMIT_EXCEEDED).isPresent()) {
      enforced(Enforcement.LIMIT_EXCEEDED);
    }
    report
        .step()
        .filter(step -> step.duration().isPresent() && step.result().isPresent())
        .ifPresent(step ->
            stopDuration.record(
                seconds(step.duration().orElseThrow()),
                node().toBuilder()
                    .put(PHASE, word(step.phase()))
                    .put(OUTCOME, word(step.result().orElseThrow()))
                    .build()));
  }

  /// Registers the gauges that are read at each collection.
  ///
  /// @param attempts reports of all attempts
  /// @param slices realised slices
  /// @param pending number of unacknowledged updates
  public void observe(
      Supplier<List<AttemptReport>> attempts,
      Supplier<List<SlicePlan>> slices,
      Supplier<Integer> pending) {
    gauge(ATTEMPTS, "{attempt}", to -> attemptsByState(attempts.get(), to));
    gauge(SLICES, "{slice}", to -> slicesByMechanism(slices.get(), to));
    gauge(UPDATES_PENDING, "{update}", to -> to.record(pending.get(), node()));
  }

  /// Registers the gauges of the machine's devices.
  public void observeDevices(GpuDriver driver, DeviceWatch watch) {
    if (!driver.devices().isEmpty()) {
      devices.observe(driver, watch::seen);
    }
  }

  /// The same of NVIDIA's once more, as NVIDIA's own exporter calls it.
  public void observeDevicesAsDcgm(GpuDriver driver, DeviceWatch watch) {
    DcgmInstruments same =
        DcgmInstruments.observe(
            meter,
            node,
            () ->
                watch.seen().stream()
                    .filter(seen -> driver.description(seen.device().uuid()).startsWith("nvml "))
                    .toList());
    closings.add(same::close);
  }

  /// The slices that there are, and what attempts have of the memory of devices.
  public void observeSlices(Supplier<List<SlicePlan>> plans, Supplier<List<MemoryMeter.Use>> uses) {
    devices.observeSlices(plans, uses);
  }

  /// Registers the gauges of the jobs' CPU and memory.
  public void observeJobs(Supplier<Map<JobMeter.Slot, JobUsage>> jobs) {
    var cpu = meter.counterBuilder(JOB_CPU).ofDoubles().setUnit("s").buildObserver();
    var memory = meter.upDownCounterBuilder(JOB_MEMORY).setUnit("By").buildObserver();
    var kills = meter.counterBuilder(JOB_OOM_KILLS).setUnit("{process}").buildObserver();
    // Read once for all three.
    var reading =
        meter.batchCallback(
            () ->
                jobs.get()
                    .forEach((job, usage) -> {
                      cpu.record(usage.cpuNanos() / 1e9, of(job));
                      memory.record(usage.memoryBytes(), of(job));
                      kills.record(usage.oomKills(), of(job));
                    }),
            cpu,
            memory,
            kills);
    closings.add(reading::close);
  }

  private Attributes of(JobMeter.Slot job) {
    return Attributes.of(
        NODE, node, TENANT, job.tenant(), QUEUE, job.queue(), SLOT, (long) job.number());
  }

  /// Whether a session with the control plane is open.
  public void observeConnection(Supplier<Boolean> connected) {
    gauge(CONNECTED, "1", to -> to.record(connected.get() ? 1 : 0, node()));
  }

  /// Stops measuring; other instruments of the process continue.
  @Override
  public void close() {
    closings.forEach(Runnable::run);
    devices.close();
  }

  private void gauge(String name, String unit, Consumer<ObservableLongMeasurement> reader) {
    var gauge = meter.gaugeBuilder(name).ofLongs().setUnit(unit).buildWithCallback(reader);
    closings.add(gauge::close);
  }

  private void attemptsByState(List<AttemptReport> attempts, ObservableLongMeasurement to) {
    for (AttemptState state : AttemptState.values()) {
      long count = attempts.stream().filter(report -> report.state() == state).count();
      to.record(count, node().toBuilder().put(STATE, word(state)).build());
    }
  }

  private void slicesByMechanism(List<SlicePlan> slices, ObservableLongMeasurement to) {
    record Kind(String mechanism, String isolation) {}
    Map<Kind, Long> counts = new LinkedHashMap<>();
    slices.forEach(
        slice -> counts.merge(new Kind(slice.mechanism(), word(slice.isolation())), 1L, Long::sum));
    counts.forEach((kind, count) ->
        to.record(
            count,
            node().toBuilder()
                .put(MECHANISM, kind.mechanism())
                .put(ISOLATION, kind.isolation())
                .build()));
  }

  private DoubleHistogram histogram(String name, String description) {
    return meter
        .histogramBuilder(name)
        .setUnit("s")
        .setDescription(description)
        .setExplicitBucketBoundariesAdvice(BUCKETS_SECONDS)
        .build();
  }

  private Attributes node() {
    return Attributes.of(NODE, node);
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private enum MapGetter implements TextMapGetter<Map<String, String>> {
    INSTANCE;

    @Override
    public Iterable<String> keys(Map<String, String> carrier) {
      return carrier.keySet();
    }

    @Override
    public @Nullable String get(@Nullable Map<String, String> carrier, String key) {
      return carrier == null ? null : carrier.get(key);
    }
  }
}
