package io.headgate.scheduler.grpc;

import com.google.protobuf.MessageLite;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.headgate.scheduler.runtime.leadership.TakeoverWaiters;
import java.time.Duration;

/// Holds calls that reach a newly elected scheduler while it still loads its state. The callers see
/// a slow answer and need not retry. A held call is not processed before this scheduler leads.
///
/// A call is refused with `NO_LEADER` after [#PATIENCE], when there is no room, or when this
/// scheduler fails to become the leader. A call is dropped when its caller cancels it or its
/// deadline passes. Thread-safe.
final class HeldCalls {
  /// Longer than it takes to load a million jobs, well below a caller's usual deadline.
  static final Duration PATIENCE = Duration.ofSeconds(15);

  /// So few of the calls that a server takes that there is room for agents, which come back now.
  static final int MAX_CALLS = 2_000;

  /// The bytes of all held requests together.
  static final long MAX_BYTES = 64L << 20;

  private final TakeoverWaiters waiters;
  private final int maxCalls;
  private final long maxBytes;
  private final Duration patience;
  // Guarded by this.
  private int calls;
  private long bytes;

  HeldCalls(TakeoverWaiters waiters) {
    this(waiters, MAX_CALLS, MAX_BYTES, PATIENCE);
  }

  HeldCalls(TakeoverWaiters waiters, int maxCalls, long maxBytes, Duration patience) {
    this.patience = patience;
    this.waiters = waiters;
    this.maxCalls = maxCalls;
    this.maxBytes = maxBytes;
  }

  /// Whether such a call would wait now.
  boolean areDue(ServerCall<?, ?> call) {
    return call.getMethodDescriptor().getType() == MethodType.UNARY && waiters.areDue();
  }

  /// Lets the call wait once its request is there.
  <Q, R> ServerCall.Listener<Q> hold(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    return new HeldCall<>(call, headers, next, this).begin();
  }

  Duration patience() {
    return patience;
  }

  TakeoverWaiters waiters() {
    return waiters;
  }

  /// Reserves room for a request; a caller that gets it returns it by [#leave].
  synchronized boolean enter(Object request) {
    long size = size(request);
    if (calls >= maxCalls || bytes + size > maxBytes) {
      return false;
    }
    calls++;
    bytes += size;
    return true;
  }

  synchronized void leave(Object request) {
    calls--;
    bytes -= size(request);
  }

  /// How many wait.
  synchronized int size() {
    return calls;
  }

  private static long size(Object request) {
    return request instanceof MessageLite message ? message.getSerializedSize() : 0;
  }
}
