package io.headgate.policy;

import io.grpc.Channel;
import io.grpc.Context;
import io.grpc.Context.CancellableContext;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.watch.WatchParts;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.AccessConfigurationServiceGrpc;
import io.headgate.proto.policy.v1.WatchAccessRequest;
import io.headgate.proto.policy.v1.WatchAccessResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// One watch over the wire.
final class Watching implements AutoCloseable {
  private final CancellableContext context = Context.current().withCancellation();
  private final BlockingQueue<Object> received = new LinkedBlockingQueue<>();

  private final List<Integer> sizes = new ArrayList<>();

  private Watching() {}

  /// @param position of which version and incarnation are taken
  static Watching from(Channel channel, WatchAccessResponse position) {
    return from(
        channel,
        WatchAccessRequest.newBuilder()
            .setIncarnation(position.getIncarnation())
            .setVersion(position.getVersion())
            .build());
  }

  /// From the beginning.
  static Watching from(Channel channel) {
    return from(channel, WatchAccessRequest.getDefaultInstance());
  }

  private static Watching from(Channel channel, WatchAccessRequest request) {
    Watching watching = new Watching();
    watching.context.run(() ->
        AccessConfigurationServiceGrpc.newStub(channel).watchAccess(request, watching.observer()));
    return watching;
  }

  /// The configurations of a step.
  static List<AccessConfiguration> configurations(WatchAccessResponse step) {
    return step.getConfigurationsList();
  }

  /// The next step.
  WatchAccessResponse next() {
    List<WatchAccessResponse> parts = new ArrayList<>();
    do {
      Object next = await();
      if (!(next instanceof WatchAccessResponse part)) {
        throw new AssertionError("the watch ended: " + next);
      }
      parts.add(part);
    } while (!parts.getLast().getLast());
    sizes.addAll(parts.stream().map(WatchAccessResponse::getSerializedSize).toList());
    return WatchParts.join(parts);
  }

  /// The next step that tells of something: on a slow machine a sign of life may come first.
  WatchAccessResponse change() {
    WatchAccessResponse step = next();
    while (!step.getSnapshot()
        && step.getConfigurationsCount() == 0
        && step.getDeletedTenantsCount() == 0) {
      step = next();
    }
    return step;
  }

  /// Bytes of each part of the steps so far.
  List<Integer> sizes() {
    return List.copyOf(sizes);
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
      Object next = received.poll(60, TimeUnit.SECONDS);
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
