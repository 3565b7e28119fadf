package io.headgate.agent.runtime.telemetry;

import static io.headgate.kit.telemetry.MetricDefinition.BRIEF;
import static io.headgate.kit.telemetry.MetricDefinition.FROM_THE_START;
import static io.headgate.kit.telemetry.MetricDefinition.counter;
import static io.headgate.kit.telemetry.MetricDefinition.gauge;
import static io.headgate.kit.telemetry.MetricDefinition.histogram;
import static io.headgate.kit.telemetry.MetricDefinition.upDownCounter;

import io.headgate.kit.telemetry.MetricDefinition;
import io.opentelemetry.api.common.AttributeKey;
import java.util.List;

/// The agent's metrics: every instrument and attribute, those of devices in [DeviceMetrics].
public final class AgentMetrics {
  public static final AttributeKey<String> NODE = AttributeKey.stringKey("headgate.node");
  public static final AttributeKey<String> STATE = AttributeKey.stringKey("headgate.state");
  public static final AttributeKey<String> PHASE = AttributeKey.stringKey("headgate.phase");
  public static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("headgate.outcome");
  public static final AttributeKey<String> MECHANISM = AttributeKey.stringKey("headgate.mechanism");
  public static final AttributeKey<String> ISOLATION = AttributeKey.stringKey("headgate.isolation");
  public static final AttributeKey<String> TENANT = AttributeKey.stringKey("headgate.tenant");
  public static final AttributeKey<String> QUEUE = AttributeKey.stringKey("headgate.queue");
  public static final AttributeKey<Long> SLOT = AttributeKey.longKey("headgate.slot");
  public static final AttributeKey<Long> SLICE = AttributeKey.longKey("headgate.slice");
  public static final AttributeKey<String> ACTION = AttributeKey.stringKey("headgate.action");
  public static final AttributeKey<String> KIND = AttributeKey.stringKey("headgate.kind");
  public static final AttributeKey<String> DEVICE = AttributeKey.stringKey("hw.id");

  private static final String REAL = "GPUs are real";

  public static final MetricDefinition SESSION =
      gauge(
          "headgate.agent.session.open",
          "1",
          "1 while the agent has a session with the control plane",
          NODE);
  public static final MetricDefinition ATTEMPTS =
      gauge("headgate.agent.attempts", "{attempt}", "attempts by state", NODE, STATE);
  public static final MetricDefinition UPDATES_PENDING =
      gauge("headgate.agent.updates.pending", "{update}", "updates without acknowledgement", NODE);
  public static final MetricDefinition START_DURATION =
      histogram(
          "headgate.agent.start.duration",
          "s",
          "time from the assignment to the running program",
          BRIEF,
          NODE);
  public static final MetricDefinition STOP_DURATION =
      histogram(
              "headgate.agent.stop.duration",
              "s",
              "one phase of any stop",
              BRIEF,
              NODE,
              PHASE,
              OUTCOME)
          .when("an attempt was stopped");

  public static final MetricDefinition SLICES =
      gauge("headgate.slice.count", "{slice}", "slices that exist", NODE, MECHANISM, ISOLATION);
  public static final MetricDefinition REALISE_DURATION =
      histogram(
          "headgate.slice.realise.duration",
          "s",
          "making the slices of an attempt: `ok` or `failed`; by the mechanism of the first",
          BRIEF,
          NODE,
          MECHANISM,
          OUTCOME);
  public static final MetricDefinition RELEASE_DURATION =
      histogram(
          "headgate.slice.release.duration",
          "s",
          "time from the end of a job to free slices: at once (`ok`), or after a failure"
              + " (`retried`); by the mechanism of the first, `none` without slices",
          BRIEF,
          NODE,
          MECHANISM,
          OUTCOME);
  public static final MetricDefinition SLICE_ISOLATION =
      gauge(
              "headgate.slice.isolation",
              "1",
              "1 for each slice, with the strength of its isolation",
              NODE,
              DEVICE,
              SLICE,
              MECHANISM,
              ISOLATION)
          .when(REAL);
  public static final MetricDefinition SLICE_MEMORY_USAGE =
      upDownCounter(
              "headgate.slice.memory.usage",
              "By",
              "memory of the GPU that an attempt uses",
              NODE,
              DEVICE,
              SLICE,
              TENANT,
              QUEUE)
          .when(REAL);
  public static final MetricDefinition SLICE_MEMORY_LIMIT =
      upDownCounter(
              "headgate.slice.memory.limit",
              "By",
              "memory of a slice",
              NODE,
              DEVICE,
              SLICE,
              TENANT,
              QUEUE)
          .when(REAL);
  public static final MetricDefinition SLICE_VIOLATIONS =
      counter(
              "headgate.slice.violations",
              "{violation}",
              "attempts that used more than their slices: `memory`; or whose processes outlived"
                  + " them: `fence`",
              NODE,
              MECHANISM,
              KIND)
          .atZero("with the first slice of its mechanism; `none` from the start");

  public static final MetricDefinition JOB_CPU =
      counter(
          "headgate.job.cpu.time",
          "s",
          "CPU time of attempts with their supervisors",
          NODE,
          TENANT,
          QUEUE,
          SLOT);
  public static final MetricDefinition JOB_MEMORY =
      upDownCounter(
          "headgate.job.memory.usage",
          "By",
          "main memory, without files that the kernel only caches",
          NODE,
          TENANT,
          QUEUE,
          SLOT);
  public static final MetricDefinition JOB_OOM_KILLS =
      counter(
          "headgate.job.oom_kills",
          "{process}",
          "processes killed for main memory",
          NODE,
          TENANT,
          QUEUE,
          SLOT);
  public static final MetricDefinition ENFORCEMENT =
      counter(
              "headgate.enforcement.actions",
              "{action}",
              "`excess_found`, `stopped`, `killed` (by the watch), `limit_exceeded` (the end),"
                  + " `slice_refused`, `remains_killed`",
              NODE,
              ACTION)
          .atZero(FROM_THE_START);

  private static final String EXPORTED = "`agent.logs.export` is on";

  public static final MetricDefinition OUTPUT_SENT =
      counter(
              "headgate.job.output.sent",
              "By",
              "output of jobs that the receiver of logs has taken",
              NODE)
          .when(EXPORTED);
  public static final MetricDefinition OUTPUT_DROPPED =
      counter(
              "headgate.job.output.dropped",
              "By",
              "output of jobs that was not kept until the receiver of logs could take it",
              NODE)
          .when(EXPORTED);

  /// All of them, in the order of the reference.
  public static final List<MetricDefinition> ALL =
      List.of(
          SESSION,
          ATTEMPTS,
          UPDATES_PENDING,
          START_DURATION,
          STOP_DURATION,
          SLICES,
          REALISE_DURATION,
          RELEASE_DURATION,
          SLICE_ISOLATION,
          SLICE_MEMORY_USAGE,
          SLICE_MEMORY_LIMIT,
          SLICE_VIOLATIONS,
          JOB_CPU,
          JOB_MEMORY,
          JOB_OOM_KILLS,
          ENFORCEMENT,
          OUTPUT_SENT,
          OUTPUT_DROPPED);

  private AgentMetrics() {}
}
