package io.headgate.scheduler;

import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.trace.JobTrace;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;

/// The contexts in which measurements of jobs are made, so that their exemplars name the trace.
final class TraceContexts {
  private TraceContexts() {}

  /// A context in which the submission of the job is the parent.
  static Context of(JobRecord job) {
    JobTrace trace = JobTrace.of(job);
    SpanContext submitted =
        SpanContext.create(
            trace.traceId(), trace.rootId(), TraceFlags.getSampled(), TraceState.getDefault());
    return Context.root().with(Span.wrap(submitted));
  }
}
