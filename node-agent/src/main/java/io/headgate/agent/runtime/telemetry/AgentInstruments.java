package io.headgate.agent.runtime.telemetry;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.AttemptReport;
import io.headgate.agent.core.AttemptState;
import io.headgate.agent.core.EndReason;
import io.headgate.agent.core.MemoryMeter;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.process.JobUsage;
import io.headgate.agent.runtime.watch.DeviceWatch;
import io.headgate.agent.runtime.watch.JobMeter;
import io.headgate.kit.telemetry.MetricDefinition;
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
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Measures the agent under the names of [AgentMetrics].
public final class AgentInstruments implements AutoCloseable {
  private static final String SCOPE = "io.headgate.agent";

  private static final String NO_MECHANISM = "none";

  private static final AttributeKey<String> JOB = AttributeKey.stringKey("headgate.job");
  private static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("headgate.attempt");

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
  private final LongCounter violations;

  public AgentInstruments(Telemetry telemetry, TimeSource time, String node) {
    this.meter = telemetry.meter(SCOPE);
    this.tracer = telemetry.tracer(SCOPE);
    this.time = time;
    this.node = node;
    this.devices = new DeviceInstruments(telemetry, SCOPE, node);
    this.startDuration = AgentMetrics.START_DURATION.histogram(meter);
    this.stopDuration = AgentMetrics.STOP_DURATION.histogram(meter);
    this.realiseDuration = AgentMetrics.REALISE_DURATION.histogram(meter);
    this.releaseDuration = AgentMetrics.RELEASE_DURATION.histogram(meter);
    this.enforcement = AgentMetrics.ENFORCEMENT.counter(meter);
    this.violations = AgentMetrics.SLICE_VIOLATIONS.counter(meter);
    for (Enforcement action : Enforcement.values()) {
      enforcement.add(0, of(action));
    }
    // A job without slices can leave processes behind, too.
    violations.add(0, of(NO_MECHANISM, Violation.FENCE));
  }

  private void expectViolations(String mechanism) {
    for (Violation kind : Violation.values()) {
      violations.add(0, of(mechanism, kind));
    }
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
      return new Making(span, assignment, plans);
    }

    @Override
    public void close() {
      span.end();
      startDuration.record(seconds(Duration.ofNanos(time.monotonicNanos() - begunNanos)), node());
    }
  }

  /// The making of an attempt's slices: a span, and its time.
  public final class Making implements AutoCloseable {
    private final Span span;
    private final List<SlicePlan> plans;
    private final long begunNanos = time.monotonicNanos();
    private boolean made;

    private Making(Span start, Assignment assignment, List<SlicePlan> plans) {
      this.span = span("agent.slices", assignment, Context.root().with(start));
      span.setAttribute(AgentMetrics.MECHANISM, mechanism(plans));
      this.plans = List.copyOf(plans);
      expectViolations(mechanism(plans));
    }

    /// All were made.
    public void made() {
      made = true;
    }

    @Override
    public void close() {
      span.end();
      Duration took = Duration.ofNanos(time.monotonicNanos() - begunNanos);
      realiseDuration.record(seconds(took), slices(plans, made ? "ok" : "failed"));
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
        .setAttribute(AgentMetrics.NODE, node)
        .setAttribute(AgentMetrics.TENANT, assignment.key().job().tenant())
        .setAttribute(AgentMetrics.QUEUE, assignment.queue())
        .setAttribute(JOB, assignment.key().job().id())
        .setAttribute(ATTEMPT, (long) assignment.key().attempt())
        .startSpan();
  }

  public Timing starting(Assignment assignment) {
    return new Timing(assignment);
  }

  /// The slices of an attempt are free again.
  ///
  /// @param plans the slices, if it had some
  /// @param retried whether it failed before
  public void slicesReleased(List<SlicePlan> plans, boolean retried, Duration took) {
    releaseDuration.record(seconds(took), slices(plans, retried ? "retried" : "ok"));
  }

  private Attributes slices(List<SlicePlan> plans, String outcome) {
    return Attributes.of(
        AgentMetrics.NODE,
        node,
        AgentMetrics.MECHANISM,
        mechanism(plans),
        AgentMetrics.OUTCOME,
        outcome);
  }

  private static String mechanism(List<SlicePlan> plans) {
    return plans.isEmpty() ? NO_MECHANISM : plans.getFirst().mechanism();
  }

  /// An attempt did not keep to its slices.
  public void violated(List<SlicePlan> plans, Violation kind) {
    violations.add(1, of(mechanism(plans), kind));
  }

  private Attributes of(String mechanism, Violation kind) {
    return Attributes.of(
        AgentMetrics.NODE, node, AgentMetrics.MECHANISM, mechanism, AgentMetrics.KIND, word(kind));
  }

  public void enforced(Enforcement action) {
    enforcement.add(1, of(action));
  }

  private Attributes of(Enforcement action) {
    return node().toBuilder().put(AgentMetrics.ACTION, word(action)).build();
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
                    .put(AgentMetrics.PHASE, word(step.phase()))
                    .put(AgentMetrics.OUTCOME, word(step.result().orElseThrow()))
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
    gauge(AgentMetrics.ATTEMPTS, to -> attemptsByState(attempts.get(), to));
    gauge(AgentMetrics.SLICES, to -> slicesByMechanism(slices.get(), to));
    gauge(AgentMetrics.UPDATES_PENDING, to -> to.record(pending.get(), node()));
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
  ///
  /// @param queues the queue of each attempt
  public void observeSlices(
      Supplier<List<SlicePlan>> plans,
      Supplier<List<MemoryMeter.Use>> uses,
      Function<AttemptKey, String> queues) {
    devices.observeSlices(plans, uses, queues);
  }

  /// Registers the gauges of the jobs' CPU and memory.
  public void observeJobs(Supplier<Map<JobMeter.Slot, JobUsage>> jobs) {
    var cpu = AgentMetrics.JOB_CPU.doubleCounter(meter).buildObserver();
    var memory = AgentMetrics.JOB_MEMORY.upDownCounter(meter).buildObserver();
    var kills = AgentMetrics.JOB_OOM_KILLS.observedCounter(meter).buildObserver();
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
        AgentMetrics.NODE,
        node,
        AgentMetrics.TENANT,
        job.tenant(),
        AgentMetrics.QUEUE,
        job.queue(),
        AgentMetrics.SLOT,
        (long) job.number());
  }

  /// Whether a session with the control plane is open.
  public void observeConnection(Supplier<Boolean> connected) {
    gauge(AgentMetrics.SESSION, to -> to.record(connected.get() ? 1 : 0, node()));
  }

  /// Stops measuring; other instruments of the process continue.
  @Override
  public void close() {
    closings.forEach(Runnable::run);
    devices.close();
  }

  private void gauge(MetricDefinition definition, Consumer<ObservableLongMeasurement> reader) {
    var gauge = definition.gauge(meter).ofLongs().buildWithCallback(reader);
    closings.add(gauge::close);
  }

  private void attemptsByState(List<AttemptReport> attempts, ObservableLongMeasurement to) {
    for (AttemptState state : AttemptState.values()) {
      long count = attempts.stream().filter(report -> report.state() == state).count();
      to.record(count, node().toBuilder().put(AgentMetrics.STATE, word(state)).build());
    }
  }

  private void slicesByMechanism(List<SlicePlan> slices, ObservableLongMeasurement to) {
    record Kind(String mechanism, String isolation) {}
    Map<Kind, Long> counts = new LinkedHashMap<>();
    slices.forEach(
        slice -> counts.merge(new Kind(slice.mechanism(), word(slice.isolation())), 1L, Long::sum));
    counts.forEach((kind, count) -> {
      // Also of slices that an earlier agent made.
      expectViolations(kind.mechanism());
      to.record(
          count,
          node().toBuilder()
              .put(AgentMetrics.MECHANISM, kind.mechanism())
              .put(AgentMetrics.ISOLATION, kind.isolation())
              .build());
    });
  }

  private Attributes node() {
    return Attributes.of(AgentMetrics.NODE, node);
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
