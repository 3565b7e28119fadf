package io.headgate.kit.telemetry;

import io.headgate.kit.telemetry.FinishedSpan.Link;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.IdGenerator;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Sends finished spans to the receiver of traces, and says whether it took them. Blocks; keeps
/// nothing in memory. For one thread at a time.
public final class SpanOutput {
  private static final AttributeKey<String> RELATION = AttributeKey.stringKey("headgate.link");

  private final SpanExporter exporter;
  private final GivenIds ids = new GivenIds();
  private final Tracer tracer;

  SpanOutput(SpanExporter exporter, Resource resource, String scope) {
    this.exporter = exporter;
    this.tracer =
        SdkTracerProvider.builder()
            .setResource(resource)
            .setSampler(Sampler.alwaysOn())
            .setIdGenerator(ids)
            .build()
            .get(scope);
  }

  /// A way to any exporter, for spans of the service `service`.
  public static SpanOutput to(SpanExporter exporter, String service, String scope) {
    return new SpanOutput(
        exporter,
        Resource.create(Attributes.of(AttributeKey.stringKey("service.name"), service)),
        scope);
  }

  /// Sends the spans; false: the receiver refused them, or did not answer in time.
  public boolean send(List<FinishedSpan> spans, Duration patience) {
    List<SpanData> data = new ArrayList<>(spans.size());
    for (FinishedSpan span : spans) {
      data.add(data(span));
    }
    return exporter.export(data).join(patience.toMillis(), TimeUnit.MILLISECONDS).isSuccess();
  }

  private SpanData data(FinishedSpan span) {
    ids.next = span;
    SpanBuilder builder =
        tracer
            .spanBuilder(span.name())
            .setSpanKind(SpanKind.valueOf(span.kind().name()))
            .setStartTimestamp(span.begin());
    if (span.parentId().isPresent()) {
      Span parent = Span.wrap(context(span.traceId(), span.parentId().get()));
      builder.setParent(Context.root().with(parent));
    } else {
      builder.setNoParent();
    }
    for (Link link : span.links()) {
      builder.addLink(
          context(link.traceId(), link.spanId()), Attributes.of(RELATION, link.relation()));
    }
    Span made = builder.startSpan();
    span.attributes()
        .forEach((name, value) -> {
          if (value instanceof Number number) {
            made.setAttribute(name, number.longValue());
          } else {
            made.setAttribute(name, value.toString());
          }
        });
    span.problem().ifPresent(problem -> made.setStatus(StatusCode.ERROR, problem));
    made.end(span.end());
    return ((ReadableSpan) made).toSpanData();
  }

  private static SpanContext context(String traceId, String spanId) {
    return SpanContext.createFromRemoteParent(
        traceId, spanId, TraceFlags.getSampled(), TraceState.getDefault());
  }

  /// The ids of the span that is being made.
  private static final class GivenIds implements IdGenerator {
    private @Nullable FinishedSpan next;

    private FinishedSpan next() {
      return Objects.requireNonNull(next, "no span is being made");
    }

    @Override
    public String generateSpanId() {
      return next().spanId();
    }

    @Override
    public String generateTraceId() {
      return next().traceId();
    }
  }
}
