package io.headgate.kit.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCall.Listener;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.headgate.kit.config.ByteSize;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.grpc.ApiServerConfig;
import io.headgate.kit.grpc.Shelf;
import io.headgate.kit.proto.test.v1.GreetRequest;
import io.headgate.kit.proto.test.v1.ShelfServiceGrpc;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.TestChannels;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class ChannelsTest {
  private static final GreetRequest ADA = GreetRequest.newBuilder().setName("ada").build();

  private final Shelf shelf = new Shelf();
  private final AtomicInteger failuresLeft = new AtomicInteger();
  private final List<String> authorizations = new CopyOnWriteArrayList<>();
  private final ApiServer server =
      ApiServer.builder(ApiServerConfig.of("127.0.0.1", 0), Telemetry.disabled())
          .service(shelf)
          .interceptor(new Unreliable())
          .build();

  @BeforeEach
  void start() {
    server.start();
  }

  @AfterEach
  void stop() {
    shelf.mayGreet.countDown();
    server.close();
  }

  @Test
  void triesAgainWhatWasUnavailable() {
    failuresLeft.set(3);
    assertThat(greet(TokenSource.anonymous())).isEqualTo("hello ada");
    assertThat(authorizations).hasSize(4);
  }

  @Test
  void givesUpAfterAFewTries() {
    failuresLeft.set(100);
    assertThatThrownBy(() -> greet(TokenSource.anonymous())).hasMessageStartingWith("UNAVAILABLE");
    assertThat(authorizations).hasSize(4);
  }

  @Test
  void asksForTheTokenAtEachCall() {
    AtomicInteger number = new AtomicInteger();
    TokenSource tokens = () -> Optional.of("token-" + number.incrementAndGet());
    greet(tokens);
    greet(tokens);
    assertThat(authorizations).containsExactly("Bearer token-1", "Bearer token-2");
  }

  @Test
  void boundsAUnaryCallThatNamesNoDeadline() {
    ChannelConfig config =
        new ChannelConfig(
            server.uri(),
            Optional.empty(),
            Duration.ofMillis(300),
            Duration.ofSeconds(20),
            ByteSize.ofMebibytes(1));
    ManagedChannel channel = Channels.open(config, TokenSource.anonymous(), Telemetry.disabled());
    Throwable failure =
        catchThrowable(() ->
            ShelfServiceGrpc.newBlockingStub(channel)
                .greet(GreetRequest.newBuilder().setName("wait").build()));
    Channels.close(channel);
    assertThat(failure).isInstanceOf(StatusRuntimeException.class);
    assertThat(Status.fromThrowable(failure).getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
  }

  /// gRPC's own pauses between attempts grow to two minutes; its fifth is longer than five seconds.
  @Test
  void triesToConnectEverySecondOrTwoHoweverLongTheServerIsAway() throws IOException {
    List<Long> triedNanos = new CopyOnWriteArrayList<>();
    try (ServerSocket away = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread.ofVirtual().start(() -> hangUpOnEach(away, triedNanos));
      ManagedChannel channel =
          Channels.open(
              TestChannels.patient(URI.create("http://127.0.0.1:" + away.getLocalPort())),
              TokenSource.anonymous(),
              Telemetry.disabled());
      var waiting = ShelfServiceGrpc.newFutureStub(channel).withWaitForReady().greet(ADA);
      await().atMost(Duration.ofMinutes(2)).until(() -> triedNanos.size() >= 7);
      waiting.cancel(true);
      Channels.close(channel);
    }
    assertThat(Duration.ofNanos(triedNanos.get(6) - triedNanos.get(5)))
        .as("pause before the seventh attempt")
        .isLessThan(Reconnection.LONGEST_PAUSE.multipliedBy(2));
  }

  private static void hangUpOnEach(ServerSocket server, List<Long> triedNanos) {
    try {
      while (true) {
        server.accept().close();
        triedNanos.add(System.nanoTime());
      }
    } catch (IOException e) {
      // Closed: the test is over.
    }
  }

  @Test
  void refusesAnAddressThatIsNone() {
    assertThatThrownBy(() -> ChannelConfig.of(URI.create("localhost:7400")))
        .hasMessageContaining("write http://host:port");
  }

  private String greet(TokenSource tokens) {
    ManagedChannel channel =
        Channels.open(TestChannels.patient(server.uri()), tokens, Telemetry.disabled());
    try {
      return ShelfServiceGrpc.newBlockingStub(channel).greet(ADA).getText();
    } finally {
      Channels.close(channel);
    }
  }

  /// Refuses the first calls, and notes what each brought.
  private final class Unreliable implements ServerInterceptor {
    @Override
    public <ReqT, RespT> Listener<ReqT> interceptCall(
        ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
      String sent = headers.get(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER));
      authorizations.add(String.valueOf(sent));
      if (failuresLeft.getAndDecrement() > 0) {
        throw Refusal.of(Status.Code.UNAVAILABLE, "NOT_YET", "not yet").exception();
      }
      return next.startCall(call, headers);
    }
  }
}
