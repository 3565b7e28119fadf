package io.headgate.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.proto.test.v1.Book;
import io.headgate.kit.proto.test.v1.ShelfServiceGrpc;
import io.headgate.kit.proto.test.v1.WatchBooksRequest;
import io.headgate.kit.testing.ApiServerExtension;
import io.headgate.kit.testing.TestChannels;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class CallerStreamsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /// Streams of one connection.
  private static final int PER_CONNECTION = 100;

  private static final AtomicInteger OPEN = new AtomicInteger();

  @RegisterExtension
  static final ApiServerExtension SERVER =
      new ApiServerExtension(api -> api.service(new SilentShelf()));

  private final List<ManagedChannel> channels = new ArrayList<>();

  /// Never answers a watch.
  private static final class SilentShelf extends ShelfServiceGrpc.ShelfServiceImplBase {
    @Override
    public void watchBooks(WatchBooksRequest request, StreamObserver<Book> out) {
      OPEN.incrementAndGet();
    }
  }

  @AfterEach
  void close() {
    channels.forEach(ManagedChannel::shutdownNow);
  }

  @Test
  void aCallerHasAThousandStreamsAndNoMoreWhileOthersOpenTheirs() throws Exception {
    for (int i = 0; i < CallerStreams.PER_CALLER; i++) {
      if (i % PER_CONNECTION == 0) {
        connect("ada");
      }
      var _ = watch(channels.getLast());
    }
    await().atMost(PATIENCE).until(() -> OPEN.get() == CallerStreams.PER_CALLER);
    connect("ada");
    Status refused = watch(channels.getLast()).get(60, TimeUnit.SECONDS);
    assertThat(refused.getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(refused.getDescription()).contains("has 1000 open streams and may have 1000 now");
    connect("bob");
    CompletableFuture<Status> bob = watch(channels.getLast());
    await().atMost(PATIENCE).until(() -> OPEN.get() == CallerStreams.PER_CALLER + 1);
    assertThat(bob).isNotDone();
    // An ended stream makes room.
    channels.getFirst().shutdownNow();
    await()
        .atMost(PATIENCE)
        .until(() -> SERVER.server().callsInProgress() <= CallerStreams.PER_CALLER + 1 - 100);
    connect("ada");
    var _ = watch(channels.getLast());
    await().atMost(PATIENCE).until(() -> OPEN.get() == CallerStreams.PER_CALLER + 2);
  }

  private void connect(String user) {
    channels.add(TestChannels.narrow(SERVER.uri(), SERVER.tokens().member("acme", user)));
  }

  private static CompletableFuture<Status> watch(ManagedChannel channel) {
    CompletableFuture<Status> end = new CompletableFuture<>();
    ClientCall<WatchBooksRequest, Book> call =
        channel.newCall(ShelfServiceGrpc.getWatchBooksMethod(), CallOptions.DEFAULT);
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            end.complete(status);
            if (status.getCode() == Status.Code.RESOURCE_EXHAUSTED) {
              assertThat(GrpcFailures.refusal(status.asRuntimeException(trailers))).isPresent();
            }
          }
        },
        new Metadata());
    call.sendMessage(WatchBooksRequest.newBuilder().setParent("0").build());
    call.halfClose();
    return end;
  }
}
