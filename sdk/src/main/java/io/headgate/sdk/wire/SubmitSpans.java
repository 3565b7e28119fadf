package io.headgate.sdk.wire;

import io.headgate.sdk.wire.TraceContext.Parent;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Makes the span `job.submit`, with which the trace of a job begins. It is a root: one trace for
/// each job. A span in which the program submits, or whose `TRACEPARENT` it inherited, is linked.
///
/// The span goes to the program's own OpenTelemetry SDK if it has one. Otherwise it goes to the
/// OTLP receiver that the environment names. Without either there is none, and the server's span of
/// the submission is the first of the trace.
final class SubmitSpans implements AutoCloseable {
  private static final Pattern TRACEPARENT =
      Pattern.compile("[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}");

  private final TraceContext traces;
  private final @Nullable OtlpReceiver receiver;
  private final Optional<SpanContext> inherited;

  /// @param variables of the environment
  SubmitSpans(TraceContext traces, Map<String, String> variables) {
    this.traces = traces;
    this.receiver = OtlpReceiver.of(variables).orElse(null);
    this.inherited = inherited(variables.getOrDefault("TRACEPARENT", ""));
  }

  private static Optional<SpanContext> inherited(String traceparent) {
    Matcher matcher = TRACEPARENT.matcher(traceparent);
    return matcher.matches()
        ? Optional.of(
            SpanContext.createFromRemoteParent(
                matcher.group(1),
                matcher.group(2),
                TraceFlags.getSampled(),
                TraceState.getDefault()))
        : Optional.empty();
  }

  /// One submission, from its first try to its answer.
  interface SubmitSpan extends AutoCloseable {
    /// The context that the server continues.
    Parent parent();

    /// The server took these jobs.
    void submitted(List<String> jobs);

    void failed(String reason);

    @Override
    void close();
  }

  SubmitSpan begin(String tenant, String queue, int jobs) {
    Optional<SpanContext> around =
        Optional.of(Span.current().getSpanContext())
            .filter(SpanContext::isValid)
            .or(() -> inherited);
    SpanBuilder builder =
        GlobalOpenTelemetry.getOrNoop()
            .getTracer("io.headgate.sdk")
            .spanBuilder("job.submit")
            .setNoParent()
            .setSpanKind(SpanKind.CLIENT)
            .setAttribute("headgate.tenant", tenant)
            .setAttribute("headgate.queue", queue)
            .setAttribute("headgate.jobs", jobs);
    around.ifPresent(builder::addLink);
    Span own = builder.startSpan();
    if (own.getSpanContext().isValid()) {
      return new OfProgram(own);
    }
    if (receiver == null) {
      return new None(traces.next());
    }
    return new Exported(
        receiver,
        new OtlpReceiver.SentSpan(
            traces.submissionTraceId(), TraceContext.hex(8), tenant, queue, jobs, around));
  }

  private record None(Parent parent) implements SubmitSpan {
    @Override
    public void submitted(List<String> jobs) {}

    @Override
    public void failed(String reason) {}

    @Override
    public void close() {}
  }

  private record OfProgram(Span span) implements SubmitSpan {
    @Override
    public Parent parent() {
      return TraceContext.of(span.getSpanContext());
    }

    @Override
    public void submitted(List<String> jobs) {
      if (jobs.size() == 1) {
        span.setAttribute(AttributeKey.stringKey("headgate.job"), jobs.getFirst());
      }
    }

    @Override
    public void failed(String reason) {
      span.setStatus(StatusCode.ERROR, reason);
    }

    @Override
    public void close() {
      span.end();
    }
  }

  private static final class Exported implements SubmitSpan {
    private final OtlpReceiver receiver;
    private final OtlpReceiver.SentSpan span;
    private String job = "";
    private String problem = "";

    Exported(OtlpReceiver receiver, OtlpReceiver.SentSpan span) {
      this.receiver = receiver;
      this.span = span;
    }

    @Override
    public Parent parent() {
      return TraceContext.recorded(span.traceId(), span.spanId());
    }

    @Override
    public void submitted(List<String> jobs) {
      job = jobs.size() == 1 ? jobs.getFirst() : "";
    }

    @Override
    public void failed(String reason) {
      problem = reason;
    }

    @Override
    public void close() {
      receiver.send(span, job, problem);
    }
  }

  /// Waits a moment for spans on their way.
  @Override
  public void close() {
    if (receiver != null) {
      receiver.close();
    }
  }
}
