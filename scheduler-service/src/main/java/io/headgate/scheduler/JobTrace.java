package io.headgate.scheduler;

import io.headgate.scheduler.runtime.record.JobRecord;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The trace of a job, for measurements of the job.
final class JobTrace {
  private JobTrace() {}

  /// A context in which the submission of the job is the parent; one without a trace if the job has
  /// none.
  static Context of(JobRecord job) {
    String parent = job.metadata().traceparent();
    return parent.isEmpty()
        ? Context.root()
        : W3CTraceContextPropagator.getInstance()
            .extract(Context.root(), parent, TraceParent.INSTANCE);
  }

  private enum TraceParent implements TextMapGetter<String> {
    INSTANCE;

    @Override
    public Iterable<String> keys(String parent) {
      return List.of("traceparent");
    }

    @Override
    public @Nullable String get(@Nullable String parent, String key) {
      return key.equals("traceparent") ? parent : null;
    }
  }
}
