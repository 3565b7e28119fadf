package io.headgate.scheduler.grpc;

import com.google.protobuf.MessageLite;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.headgate.scheduler.runtime.leadership.TakeoverWaiters;
import java.time.Duration;

/// Calls that came to a scheduler which has been elected and does not lead yet, because it still
/// loads: they wait, so that their callers see a slow answer and need not try again. Nothing of
/// them is done before it leads. One that has waited for [#PATIENCE], comes when there is no room,
/// or waits at a scheduler that is not to lead after all, is refused with `NO_LEADER`, as it would
/// be without waiting; one whose caller leaves or whose deadline passes is forgotten. Thread-safe.
final class HeldCalls {
  /// Longer than it takes to load a million jobs, well below a caller's usual deadline.
  static final Duration PATIENCE = Duration.ofSeconds(15);

  /// So few of the calls that a server takes that there is room for agents, which come back now.
  static final int MAX_CALLS = 2_000;

  /// Of their requests together.
  static final long MAX_BYTES = 64L << 20;

  private final TakeoverWaiters arrivals;
  private final int maxCalls;
  private final long maxBytes;
  private final Duration patience;
  // Guarded by this.
  private int calls;
  private long bytes;

  HeldCalls(TakeoverWaiters arrivals) {
    this(arrivals, MAX_CALLS, MAX_BYTES, PATIENCE);
  }

  HeldCalls(TakeoverWaiters arrivals, int maxCalls, long maxBytes, Duration patience) {
    this.patience = patience;
    this.arrivals = arrivals;
    this.maxCalls = maxCalls;
    this.maxBytes = maxBytes;
  }

  /// Whether such a call would wait now.
  boolean areDue(ServerCall<?, ?> call) {
    return call.getMethodDescriptor().getType() == MethodType.UNARY && arrivals.areDue();
  }

  /// Lets the call wait once its request is there.
  <Q, R> ServerCall.Listener<Q> hold(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    return new HeldCall<>(call, headers, next, this).begin();
  }

  Duration patience() {
    return patience;
  }

  TakeoverWaiters arrivals() {
    return arrivals;
  }

  /// Makes room for a request; whoever got it gives it back by [#leave].
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
