package io.headgate.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.netty.NegotiationType;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.headgate.kit.config.ByteSize;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.grpc.ApiServerConfig.Discovery;
import io.headgate.kit.proto.test.v1.Book;
import io.headgate.kit.proto.test.v1.GreetRequest;
import io.headgate.kit.proto.test.v1.PutBookRequest;
import io.headgate.kit.proto.test.v1.ShelfServiceGrpc;
import io.headgate.kit.proto.test.v1.WatchBooksRequest;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.TestTokens;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The limits of one client; threat T5 gives the defaults.
@Timeout(120)
class LimitsTest {
  private static final GreetRequest ADA = GreetRequest.newBuilder().setName("ada").build();
  private static final GreetRequest WAIT = GreetRequest.newBuilder().setName("wait").build();

  private static final MethodDescriptor<?, ?> GREET = ShelfServiceGrpc.getGreetMethod();

  private final TestTokens tokens = TestTokens.create();
  private final Shelf shelf = new Shelf();
  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    shelf.mayGreet.countDown();
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
  }

  @Test
  void aConnectionThatProvesNothingGivesWayToANewOneOfItsAddress() throws Exception {
    ApiServer server = start(config("127.0.0.1", Discovery.OFF, 100, 3, Duration.ofHours(1)));
    List<Socket> sockets = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Socket socket = new Socket("127.0.0.1", server.port());
      open.add(socket);
      sockets.add(socket);
      assertThat(answers(socket)).as("connection %d", i).isTrue();
    }
    await().atMost(Duration.ofSeconds(60)).until(() -> !answers(sockets.getFirst()));
    assertThat(answers(sockets.get(1))).as("the others stay").isTrue();
  }

  @Test
  void aConnectionOfAKnownCallerStaysWhenItsAddressIsFull() throws Exception {
    ApiServer server = start(config("127.0.0.1", Discovery.OFF, 100, 4, Duration.ofHours(1)));
    var ada = stub(channel(server), "ada").watchBooks(WatchBooksRequest.getDefaultInstance());
    assertThat(ada.next().getId()).isEqualTo("first");
    for (int i = 0; i < 10; i++) {
      Socket socket = new Socket("127.0.0.1", server.port());
      open.add(socket);
      assertThat(answers(socket)).as("connection %d", i).isTrue();
    }
    var bob = stub(channel(server), "bob").watchBooks(WatchBooksRequest.getDefaultInstance());
    assertThat(bob.next().getId()).as("a new caller gets in").isEqualTo("first");
    assertThat(shelf.watchEnded.getCount()).as("no stream has ended").isEqualTo(1);
  }

  @Test
  void oneCallerDoesNotTakeAllConnectionsOfItsAddress() {
    ApiServer server = start(config("127.0.0.1", Discovery.OFF, 100, 4, Duration.ofHours(1)));
    for (int i = 0; i < 4; i++) {
      assertThat(watch(server, "job")).isEqualTo("first");
    }
    assertThat(watch(server, "agent")).isEqualTo("first");
    assertThat(watch(server, "operator")).isEqualTo("first");
  }

  /// Opens a stream on a connection of its own.
  private String watch(ApiServer server, String user) {
    return stub(channel(server), user)
        .withWaitForReady()
        .withDeadlineAfter(60, TimeUnit.SECONDS)
        .watchBooks(WatchBooksRequest.getDefaultInstance())
        .next()
        .getId();
  }

  @Test
  void streamsOfOneConnectionAreBounded() {
    ApiServer server = start(config("127.0.0.1", Discovery.OFF, 2, 100, Duration.ofHours(1)));
    ManagedChannel channel = channel(server);
    // The client learns of the bound with its first answer.
    ShelfServiceGrpc.newBlockingStub(channel).greet(ADA);
    var stub = ShelfServiceGrpc.newFutureStub(channel);
    var waiting = List.of(stub.greet(WAIT), stub.greet(WAIT));
    await().atMost(Duration.ofSeconds(60)).until(() -> server.callsInProgress() == 2);
    // The client queues the third until one of the others ends, so it runs into its own deadline.
    Throwable failure =
        catchThrowable(() ->
            ShelfServiceGrpc.newBlockingStub(channel)
                .withDeadlineAfter(500, TimeUnit.MILLISECONDS)
                .greet(ADA));
    assertThat(failure).hasMessageContaining("DEADLINE_EXCEEDED");
    shelf.mayGreet.countDown();
    assertThat(waiting).allSatisfy(call -> assertThat(call).succeedsWithin(Duration.ofSeconds(60)));
  }

  @Test
  void callsOfABoundedMethodAreRefusedWhenTooManyAreInProgress() {
    ApiServer server = start(ApiServerConfig.of("127.0.0.1", 0), Map.of(GREET, 4));
    ManagedChannel channel = channel(server);
    var stub = ShelfServiceGrpc.newFutureStub(channel);
    var left = stub.greet(WAIT);
    var waiting = stub.greet(WAIT);
    await().atMost(Duration.ofSeconds(60)).until(() -> server.callsInProgress() == 2);
    var greeting = ShelfServiceGrpc.newBlockingStub(channel);
    Refusal refusal = GrpcFailures.refusal(catchThrowable(() -> greeting.greet(ADA))).orElseThrow();
    assertThat(refusal.reason()).isEqualTo("OVERLOADED");
    assertThat(refusal.message())
        .isEqualTo("Greet has 4 calls in progress at most, half of them of one caller; try again");
    assertThat(refusal.retryDelay()).isPresent();
    assertThat(refusal(() -> greeting.importBook(PutBookRequest.getDefaultInstance())).reason())
        .as("others are heard")
        .isEqualTo("TOKEN_MISSING");
    left.cancel(true);
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThatCode(() -> greeting.greet(ADA)).doesNotThrowAnyException());
    shelf.mayGreet.countDown();
    assertThat(waiting).succeedsWithin(Duration.ofSeconds(60));
  }

  @Test
  void theBoundOfAMethodHoldsForItsCallsAsJsonToo() throws Exception {
    ApiServer server = start(ApiServerConfig.of("127.0.0.1", 0), Map.of(GREET, 2));
    var waiting = ShelfServiceGrpc.newFutureStub(channel(server)).greet(WAIT);
    await().atMost(Duration.ofSeconds(60)).until(() -> server.callsInProgress() == 1);
    HttpRequest request = HttpRequest.newBuilder(server.uri().resolve("/v1/greetings/ada")).build();
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<String> refused = client.send(request, BodyHandlers.ofString());
      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(refused.body()).contains("OVERLOADED", "Greet has 2 calls in progress at most");
      shelf.mayGreet.countDown();
      assertThat(waiting).succeedsWithin(Duration.ofSeconds(60));
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> client.send(request, BodyHandlers.ofString()).statusCode() == 200);
    }
  }

  @Test
  void oneCallerDoesNotKeepOthersFromABoundedMethod() {
    ApiServer server =
        start(
            ApiServerConfig.of("127.0.0.1", 0), Map.of(ShelfServiceGrpc.getWatchBooksMethod(), 4));
    var ada = known(server, "ada");
    var bob = known(server, "bob");
    for (int i = 0; i < 2; i++) {
      assertThat(ada.watchBooks(WatchBooksRequest.getDefaultInstance()).next().getId())
          .isEqualTo("first");
    }
    assertThat(
            refusal(() -> ada.watchBooks(WatchBooksRequest.getDefaultInstance()).hasNext())
                .reason())
        .as("half is hers")
        .isEqualTo("OVERLOADED");
    assertThat(bob.watchBooks(WatchBooksRequest.getDefaultInstance()).next().getId())
        .isEqualTo("first");
  }

  @Test
  void largeRequestsInProgressAreBoundedByTheirBytes() {
    ApiServer server =
        serve(
            ApiServer.builder(ApiServerConfig.of("127.0.0.1", 0), Telemetry.disabled())
                .requestBytes(100 << 10));
    GreetRequest large =
        WAIT.toBuilder()
            .setUnknownFields(
                UnknownFieldSet.newBuilder()
                    .addField(
                        1000,
                        UnknownFieldSet.Field.newBuilder()
                            .addLengthDelimited(ByteString.copyFrom(new byte[40 << 10]))
                            .build())
                    .build())
            .build();
    ManagedChannel channel = channel(server);
    var waiting = ShelfServiceGrpc.newFutureStub(channel).greet(large);
    await().atMost(Duration.ofSeconds(60)).until(() -> server.callsInProgress() == 1);
    var greeting = ShelfServiceGrpc.newBlockingStub(channel);
    assertThat(refusal(() -> greeting.greet(large)).reason()).isEqualTo("OVERLOADED");
    assertThat(greeting.greet(ADA).getText()).as("small ones are heard").isEqualTo("hello ada");
    shelf.mayGreet.countDown();
    assertThat(waiting).succeedsWithin(Duration.ofSeconds(60));
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> assertThatCode(() -> greeting.greet(large)).doesNotThrowAnyException());
  }

  @Test
  void headersAreBounded() {
    ApiServer server = start(ApiServerConfig.of("127.0.0.1", 0));
    Metadata large = new Metadata();
    large.put(Metadata.Key.of("x-large", Metadata.ASCII_STRING_MARSHALLER), "a".repeat(16 << 10));
    Throwable failure =
        catchThrowable(() ->
            ShelfServiceGrpc.newBlockingStub(channel(server))
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(large))
                .greet(ADA));
    assertThat(failure).isNotNull();
    assertThat(ShelfServiceGrpc.newBlockingStub(channel(server)).greet(ADA).getText())
        .as("others are served")
        .isEqualTo("hello ada");
  }

  @Test
  void aCompressedMessageIsBoundedByWhatItUnpacksTo() {
    ApiServer server = start(ApiServerConfig.of("127.0.0.1", 0));
    PutBookRequest bomb =
        PutBookRequest.newBuilder()
            .setParent("tenants/acme")
            .setBook(Book.newBuilder().setContent(ByteString.copyFrom(new byte[20 << 20])))
            .build();
    Throwable failure =
        catchThrowable(() -> stub(channel(server), "ada").withCompression("gzip").putBook(bomb));
    assertThat(GrpcFailures.refusal(failure).orElseThrow().reason()).isEqualTo("MESSAGE_TOO_LARGE");
  }

  @Test
  void anAgedConnectionIsReplacedAndItsStreamGoesOn() {
    ApiServer server = start(config("127.0.0.1", Discovery.OFF, 100, 100, Duration.ofSeconds(1)));
    ManagedChannel channel = channel(server);
    var books = stub(channel, "ada").watchBooks(WatchBooksRequest.getDefaultInstance());
    assertThat(books.next().getId()).isEqualTo("first");
    // The age is a second: these calls go over at least one connection that is asked to close.
    long end = System.nanoTime() + Duration.ofSeconds(3).toNanos();
    while (System.nanoTime() < end) {
      assertThat(ShelfServiceGrpc.newBlockingStub(channel).greet(ADA).getText())
          .isEqualTo("hello ada");
    }
    assertThat(shelf.watchEnded.getCount()).as("the stream lives on").isEqualTo(1);
  }

  private static Refusal refusal(ThrowingCallable call) {
    return GrpcFailures.refusal(catchThrowable(call)).orElseThrow();
  }

  /// Whether the server answers a plain HTTP request on the socket.
  private static boolean answers(Socket socket) {
    try {
      socket.setSoTimeout(60_000);
      byte[] request =
          "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
      socket.getOutputStream().write(request);
      byte[] answer = new byte[4096];
      int length = socket.getInputStream().read(answer);
      return length > 0 && new String(answer, 0, length, StandardCharsets.US_ASCII).contains("404");
    } catch (IOException e) {
      return false;
    }
  }

  /// Calls of a member whose token the server has seen.
  private ShelfServiceGrpc.ShelfServiceBlockingStub known(ApiServer server, String user) {
    var stub = stub(channel(server), user);
    var _ =
        stub.putBook(
            PutBookRequest.newBuilder()
                .setParent("tenants/acme")
                .setBook(Book.newBuilder().setId("mine").setPages(1))
                .build());
    return stub;
  }

  private ShelfServiceGrpc.ShelfServiceBlockingStub stub(ManagedChannel channel, String user) {
    Metadata token = new Metadata();
    token.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER),
        "Bearer " + tokens.member("acme", user));
    return ShelfServiceGrpc.newBlockingStub(channel)
        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(token));
  }

  private ManagedChannel channel(ApiServer server) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", server.port())
            .negotiationType(NegotiationType.PLAINTEXT)
            .build();
    open.add(channel::shutdownNow);
    return channel;
  }

  private ApiServer start(ApiServerConfig config) {
    return start(config, Map.of());
  }

  private ApiServer start(ApiServerConfig config, Map<MethodDescriptor<?, ?>, Integer> bounds) {
    ApiServer.Builder builder = ApiServer.builder(config, Telemetry.disabled());
    bounds.forEach(builder::bound);
    return serve(builder);
  }

  private ApiServer serve(ApiServer.Builder builder) {
    ApiServer server = builder.service(shelf).authentication(tokens.verifier()).build();
    server.start();
    open.add(server);
    return server;
  }

  private static ApiServerConfig config(
      String host, Discovery discovery, int streams, int perAddress, Duration age) {
    return new ApiServerConfig(
        host,
        0,
        Optional.empty(),
        discovery,
        ByteSize.ofMebibytes(1),
        streams,
        100,
        perAddress,
        64,
        100,
        Duration.ofSeconds(30),
        Duration.ofSeconds(60),
        age,
        Duration.ofSeconds(5));
  }
}
