package io.headgate.scheduler.runtime.loop;

import io.headgate.scheduler.runtime.record.Batch;

/// What the loop measures of itself. Called from several threads.
public interface LoopMetrics {
  /// A pass of the core.
  void decided(long nanos, int inputs);

  /// A transaction, committed or not; `batch` may be a mere renewal.
  void committed(long nanos, Batch batch);

  /// A command waited this long for the loop.
  void delayed(long nanos);

  /// A writer with an old epoch was refused.
  void refusedStale();

  /// A part of a take-over took so long.
  void tookOver(Takeover.Part part, long nanos);

  LoopMetrics NONE =
      new LoopMetrics() {
        @Override
        public void decided(long nanos, int inputs) {}

        @Override
        public void committed(long nanos, Batch batch) {}

        @Override
        public void delayed(long nanos) {}

        @Override
        public void refusedStale() {}

        @Override
        public void tookOver(Takeover.Part part, long nanos) {}
      };
}
