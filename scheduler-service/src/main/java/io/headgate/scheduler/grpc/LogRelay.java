package io.headgate.scheduler.grpc;

import io.headgate.kit.failure.Refusal;
import io.headgate.proto.agent.v1.LogChunk;
import io.headgate.proto.scheduler.v1.ReadJobLogsResponse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/// Output on its way from an agent to a reader. The agent sends no more than was granted, and the
/// reader grants as it takes, so no more than the window is ever here. Thread-safe.
final class LogRelay {
  /// Bytes that the client grants to the agent in advance.
  static final long WINDOW_BYTES = 256 << 10;

  private static final Duration RETRY = Duration.ofSeconds(1);

  private final int attempt;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  // Guarded by lock.
  private final Deque<LogChunk> waiting = new ArrayDeque<>();
  private long waitingBytes;
  private Optional<Refusal> failure = Optional.empty();
  private boolean isOver;

  LogRelay(int attempt) {
    this.attempt = attempt;
  }

  /// Takes what the agent sent.
  ///
  /// @return false: it sent more than it may
  boolean take(LogChunk chunk) {
    lock.lock();
    try {
      waitingBytes += chunk.getData().size();
      boolean isTooMuch = waitingBytes > 2 * WINDOW_BYTES;
      if (isTooMuch) {
        failure =
            Optional.of(
                Refusal.unavailable("LOGS_BROKEN", "the node sent more than it was asked", RETRY));
      } else if (!chunk.getData().isEmpty() || chunk.getGap()) {
        waiting.add(chunk);
      }
      if (chunk.getLast()) {
        isOver = true;
        if (!chunk.getError().isEmpty()) {
          failure = Optional.of(Refusal.notFound("LOGS_NOT_FOUND", chunk.getError()));
        }
      }
      changed.signalAll();
      return !isTooMuch;
    } finally {
      lock.unlock();
    }
  }

  /// The stream that it came by is gone.
  void lost() {
    lock.lock();
    try {
      if (!isOver && failure.isEmpty()) {
        failure =
            Optional.of(
                Refusal.unavailable(
                    "NODE_UNREACHABLE", "the node is out of contact; try again", RETRY));
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// The reader is gone.
  void stop() {
    lock.lock();
    try {
      isOver = true;
      waiting.clear();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// The next piece; waits for it, at most for the given time.
  ///
  /// @return empty: it is over if [#isDrained], else nothing came
  Optional<ReadJobLogsResponse> next(Duration atMost) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = atMost.toNanos();
      while (waiting.isEmpty() && !isOver && failure.isEmpty() && left > 0) {
        left = changed.awaitNanos(left);
      }
      LogChunk chunk = waiting.pollFirst();
      if (chunk == null) {
        if (failure.isPresent()) {
          throw failure.get().exception();
        }
        return Optional.empty();
      }
      waitingBytes -= chunk.getData().size();
      return Optional.of(toResponse(chunk));
    } finally {
      lock.unlock();
    }
  }

  boolean isDrained() {
    lock.lock();
    try {
      return isOver && waiting.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /// Waits until the reader may take more or nothing is left for it, at most for the given time.
  /// The arrival of the last piece is no reason to hurry a reader who has not taken the earlier
  /// ones.
  ///
  /// @return false: the time is over
  boolean awaitReady(BooleanSupplier isReady, Duration atMost) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = atMost.toNanos();
      while (!(isOver && waiting.isEmpty()) && !isReady.getAsBoolean()) {
        if (left <= 0) {
          return false;
        }
        left = changed.awaitNanos(left);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /// The reader may take more.
  void wake() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private ReadJobLogsResponse toResponse(LogChunk chunk) {
    return ReadJobLogsResponse.newBuilder()
        .setStream(
            switch (chunk.getStream()) {
              case STREAM_STDOUT -> ReadJobLogsResponse.Stream.STREAM_STDOUT;
              case STREAM_STDERR -> ReadJobLogsResponse.Stream.STREAM_STDERR;
              case STREAM_UNSPECIFIED, UNRECOGNIZED ->
                  ReadJobLogsResponse.Stream.STREAM_UNSPECIFIED;
            })
        .setData(chunk.getData())
        .setAttempt(attempt)
        .setOffset(chunk.getOffset())
        .setGap(chunk.getGap())
        .build();
  }
}
