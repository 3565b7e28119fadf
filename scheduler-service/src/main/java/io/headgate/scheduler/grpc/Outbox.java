package io.headgate.scheduler.grpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.headgate.proto.agent.v1.ConnectResponse;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;

/// The messages that wait to be sent to one agent. Messages that follow each other quickly, such as
/// those of one turn, are sent together. Thread-safe.
final class Outbox {
  /// Words that wait for the agent to read.
  private static final int MAX_BYTES = 4 << 20;

  private final ServerCallStreamObserver<ConnectResponse> out;
  private final Executor writer;
  private final Runnable tooSlow;
  private final ReentrantLock lock;
  // Guarded by lock.
  private final Deque<ConnectResponse> unsent = new ArrayDeque<>();
  private int bytes;
  private boolean isFlushing;
  private boolean isOver;

  /// @param writer the thread that writes to the agent
  /// @param lock of the session: what is sent may end the stream at once, of which the session
  ///   hears on the same thread, while another thread of the session ends it
  /// @param tooSlow told when the agent reads too little, as often as that is noticed
  Outbox(
      ServerCallStreamObserver<ConnectResponse> out,
      Executor writer,
      ReentrantLock lock,
      Runnable tooSlow) {
    this.out = out;
    this.writer = writer;
    this.lock = lock;
    this.tooSlow = tooSlow;
  }

  void send(ConnectResponse response) {
    boolean isFirst;
    lock.lock();
    try {
      if (isOver) {
        return;
      }
      unsent.add(response);
      bytes += response.getSerializedSize();
      isFirst = !isFlushing;
      isFlushing = true;
    } finally {
      lock.unlock();
    }
    if (isFirst) {
      writer.execute(this::flush);
    }
  }

  /// Sends what the agent is ready to take.
  void flush() {
    boolean isTooMuch;
    lock.lock();
    try {
      isFlushing = false;
      drain();
      isTooMuch = bytes > MAX_BYTES;
    } finally {
      lock.unlock();
    }
    if (isTooMuch) {
      tooSlow.run();
    }
  }

  private void drain() {
    while (!isOver && !unsent.isEmpty() && !out.isCancelled() && out.isReady()) {
      ConnectResponse next = unsent.removeFirst();
      bytes -= next.getSerializedSize();
      out.onNext(next);
    }
  }

  /// Ends the stream by `last`; what the agent is not ready to take before it is dropped.
  void end(Runnable last) {
    lock.lock();
    try {
      drain();
      drop();
      if (!out.isCancelled()) {
        last.run();
      }
    } finally {
      lock.unlock();
    }
  }

  /// Says nothing more.
  void drop() {
    lock.lock();
    try {
      isOver = true;
      unsent.clear();
      bytes = 0;
    } finally {
      lock.unlock();
    }
  }
}
