package io.headgate.policy;

import io.grpc.Channel;
import io.grpc.Context;
import io.grpc.Context.CancellableContext;
import io.grpc.stub.StreamObserver;
import io.headgate.proto.policy.v1.AccessConfigurationServiceGrpc;
import io.headgate.proto.policy.v1.WatchAccessRequest;
import io.headgate.proto.policy.v1.WatchAccessResponse;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// One watch over the wire.
final class Watching implements AutoCloseable {
  private final CancellableContext context = Context.current().withCancellation();
  private final BlockingQueue<Object> received = new LinkedBlockingQueue<>();

  private Watching() {}

  static Watching from(Channel channel, long version) {
    Watching watching = new Watching();
    watching.context.run(() ->
        AccessConfigurationServiceGrpc.newStub(channel)
            .watchAccess(
                WatchAccessRequest.newBuilder().setVersion(version).build(), watching.observer()));
    return watching;
  }

  /// The next message.
  WatchAccessResponse next() {
    Object next = await();
    if (next instanceof WatchAccessResponse response) {
      return response;
    }
    throw new AssertionError("the watch ended: " + next);
  }

  /// The failure that the watch ends with; messages before it are passed over.
  Throwable failure() {
    Object next = await();
    while (next instanceof WatchAccessResponse) {
      next = await();
    }
    return (Throwable) next;
  }

  @Override
  public void close() {
    context.cancel(null);
  }

  private Object await() {
    try {
      Object next = received.poll(20, TimeUnit.SECONDS);
      if (next == null) {
        throw new AssertionError("the watch is silent");
      }
      return next;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private StreamObserver<WatchAccessResponse> observer() {
    return new StreamObserver<>() {
      @Override
      public void onNext(WatchAccessResponse message) {
        received.add(message);
      }

      @Override
      public void onError(Throwable failure) {
        received.add(failure);
      }

      @Override
      public void onCompleted() {
        received.add(new AssertionError("a watch does not complete"));
      }
    };
  }
}
