package io.headgate.kit.telemetry;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.opentelemetry.sdk.trace.samplers.SamplingResult;
import java.util.List;

/// Samples a call as if it began its trace. A caller that records nothing itself, such as a command
/// without a receiver, leaves the choice to the server.
record AsRoot(Sampler own) implements Sampler {
  @Override
  public SamplingResult shouldSample(
      Context parent,
      String traceId,
      String name,
      SpanKind kind,
      Attributes attributes,
      List<LinkData> links) {
    return own.shouldSample(Context.root(), traceId, name, kind, attributes, links);
  }

  @Override
  public String getDescription() {
    return "AsRoot{" + own.getDescription() + "}";
  }
}
