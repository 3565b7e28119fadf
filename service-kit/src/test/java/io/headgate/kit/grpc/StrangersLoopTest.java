package io.headgate.kit.grpc;

import static io.headgate.kit.testing.RawHttp2.END_HEADERS;
import static io.headgate.kit.testing.RawHttp2.END_STREAM;
import static io.headgate.kit.testing.RawHttp2.frame;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.headgate.kit.auth.TokenRules;
import io.headgate.kit.auth.TokenVerifier;
import io.headgate.kit.client.Channels;
import io.headgate.kit.proto.test.v1.Book;
import io.headgate.kit.proto.test.v1.GreetRequest;
import io.headgate.kit.proto.test.v1.PutBookRequest;
import io.headgate.kit.proto.test.v1.ShelfServiceGrpc;
import io.headgate.kit.proto.test.v1.WatchBooksRequest;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.RawHttp2;
import io.headgate.kit.testing.TestChannels;
import io.headgate.kit.testing.TestTokens;
import io.headgate.kit.time.TimeSource;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The threads that serve connections with and without a good token.
@Timeout(120)
class StrangersLoopTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Duration BURST = Duration.ofMillis(500);
  private static final Duration ROUND = Duration.ofMillis(10);
  private static final String PUT_BOOK = "/headgate.kit.test.v1.ShelfService/PutBook";
  private static final String STRANGERS = "strangers";

  private final TestTokens tokens = TestTokens.create();
  private final String token = tokens.member("acme", "ada");

  /// The threads on which keys were looked up, and so tokens checked.
  private final Queue<String> checkers = new ConcurrentLinkedQueue<>();

  /// The event loops of calls that passed the access rules.
  private final Queue<String> loops = new ConcurrentLinkedQueue<>();

  private final List<AutoCloseable> open = new ArrayList<>();
  private final ApiServer server = start(Duration.ofMinutes(1));

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
  }

  @Test
  void aConnectionWithAGoodTokenLeavesBeforeItsFirstCall() {
    put(channel(server, token), "mine");
    assertThat(loops).singleElement().asString().doesNotStartWith(STRANGERS);
    assertThat(checkers).first().asString().startsWith(STRANGERS + "-tokens");
    assertThat(server.strangers().left()).isEqualTo(1);
  }

  /// Its stream may last for days.
  @Test
  void aConnectionThatBeginsWithAStreamLeavesBefore() {
    ShelfServiceGrpc.newBlockingStub(channel(server, token))
        .watchBooks(WatchBooksRequest.newBuilder().setParent("tenants/acme").build())
        .next();
    assertThat(loops).singleElement().asString().doesNotStartWith(STRANGERS);
  }

  @Test
  void aClientOfPlainHttpLeaves() throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server.uri() + "/v1/tenants/acme/books"))
            .header("authorization", "Bearer " + token)
            .header("content-type", "application/json")
            .POST(BodyPublishers.ofString("{\"book\": {\"id\": \"mine\", \"pages\": 1}}"))
            .build();
    for (HttpClient.Version version : HttpClient.Version.values()) {
      try (HttpClient client = HttpClient.newBuilder().version(version).build()) {
        assertThat(client.send(request, BodyHandlers.discarding()).statusCode()).isEqualTo(200);
      }
    }
    assertThat(loops).hasSize(2).noneMatch(loop -> loop.startsWith(STRANGERS));
  }

  @Test
  void callsWithoutATokenStay() {
    greet(channel(server, ""));
    greet(channel(server, "bad"));
    assertThat(loops).hasSize(2).allMatch(loop -> loop.startsWith(STRANGERS));
    assertThat(server.strangers().left()).isZero();
  }

  @Test
  void aBadTokenIsCheckedOnThreadsOfStrangersOnly() throws Exception {
    String forged = TestTokens.create().member("acme", "ada");
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> put(channel(server, forged), "mine"))
          .hasMessageContaining("UNAUTHENTICATED");
    }
    RawHttp2 raw = open(RawHttp2.open(server.port()));
    for (int stream = 1; stream < 7; stream += 2) {
      Map<String, String> header = Map.of("authorization", "Bearer " + forged);
      raw.write(
          frame(
              RawHttp2.HEADERS,
              END_HEADERS | END_STREAM,
              stream,
              RawHttp2.headers(PUT_BOOK, header)));
      assertThat(raw.answer(stream)).succeedsWithin(SOON);
    }
    assertThat(raw.said(RawHttp2.GO_AWAY)).as("to connect again").succeedsWithin(SOON);
    assertThat(checkers).isNotEmpty().allMatch(thread -> thread.startsWith(STRANGERS + "-tokens"));
    assertThat(loops).isEmpty();
    assertThat(server.strangers().left()).isZero();
  }

  /// It goes to another loop with its next connection, and none of its calls fails.
  @Test
  void aClientWhoseTokenComesLateConnectsAgain() {
    AtomicReference<String> late = new AtomicReference<>("");
    Channel channel = channel(server, late);
    greet(channel);
    late.set(token);
    put(channel, "mine");
    assertThat(loops).as("its connection stays").allMatch(loop -> loop.startsWith(STRANGERS));
    await()
        .atMost(SOON)
        .until(() -> {
          put(channel, "mine");
          return server.strangers().left() == 1;
        });
    put(channel, "mine");
    assertThat(List.copyOf(loops).getLast()).doesNotStartWith(STRANGERS);
  }

  /// It would stay there for days. The client tries again at once, over a new connection.
  @Test
  void aStreamThatComesLateIsServedElsewhere() {
    AtomicReference<String> late = new AtomicReference<>("");
    Channel channel = channel(server, late);
    greet(channel);
    loops.clear();
    late.set(token);
    watch(channel);
    assertThat(loops).singleElement().asString().doesNotStartWith(STRANGERS);
    assertThat(server.strangers().left()).isEqualTo(1);
  }

  /// It would come back to this loop each time.
  @Test
  void aClientThatNeverBeginsWithItsTokenIsNotAskedForever() throws Exception {
    for (int i = 0; i < AskedCallers.MOST; i++) {
      RawHttp2 asked = late();
      assertThat(asked.said(RawHttp2.GO_AWAY)).succeedsWithin(SOON);
    }
    RawHttp2 last = late();
    last.write(frame(RawHttp2.PING, 0, 0, new byte[8]));
    assertThat(last.said(RawHttp2.PING)).succeedsWithin(SOON);
    assertThat(last.said(RawHttp2.GO_AWAY)).isNotDone();
    last.write(call(5, "WatchBooks", token));
    assertThat(last.answer(5)).succeedsWithin(SOON);
    assertThat(loops).hasSize(AskedCallers.MOST + 2).allMatch(loop -> loop.startsWith(STRANGERS));
  }

  /// A connection that called without a token first.
  private RawHttp2 late() throws Exception {
    RawHttp2 raw = open(RawHttp2.open(server.port()));
    raw.write(call(1, "PutBook", ""));
    assertThat(raw.answer(1)).succeedsWithin(SOON);
    raw.write(call(3, "PutBook", token));
    assertThat(raw.answer(3)).succeedsWithin(SOON);
    return raw;
  }

  @Test
  void aPingBeforeTheFirstCallDoesNoHarm() throws Exception {
    RawHttp2 raw = open(RawHttp2.open(server.port()));
    raw.write(frame(RawHttp2.PING, 0, 0, new byte[8]));
    raw.write(call(1, "PutBook", token));
    assertThat(raw.answer(1)).succeedsWithin(SOON);
    assertThat(raw.said(RawHttp2.PING)).succeedsWithin(SOON);
    assertThat(server.strangers().left()).isEqualTo(1);
  }

  @Test
  void nothingIsLostOnTheWay() throws Exception {
    Book large =
        Book.newBuilder()
            .setId("large")
            .setPages(1)
            .setContent(ByteString.copyFrom(new byte[900_000]))
            .build();
    List<Thread> clients = new ArrayList<>();
    Queue<Book> answers = new ConcurrentLinkedQueue<>();
    for (int i = 0; i < 30; i++) {
      Channel each = channel(server, token);
      clients.add(Thread.ofVirtual().start(() -> answers.add(put(each, large))));
    }
    for (Thread client : clients) {
      client.join();
    }
    assertThat(answers).hasSize(30).allMatch(large::equals);
    assertThat(server.strangers().left()).isEqualTo(30);
  }

  /// Its client may leave at any moment: while its token is checked, or between two loops.
  @Test
  void aConnectionThatEndsOnTheWayIsForgotten() throws Exception {
    byte[] call =
        frame(
            RawHttp2.HEADERS,
            END_HEADERS,
            1,
            RawHttp2.headers(PUT_BOOK, Map.of("authorization", "Bearer " + token)));
    for (int i = 0; i < 200; i++) {
      try (RawHttp2 raw = RawHttp2.open(server.port())) {
        raw.write(call);
      }
    }
    await().atMost(SOON).until(() -> server.connections().open() == 0);
    assertThat(server.callsInProgress()).isZero();
    put(channel(server, token), "mine");
  }

  @Test
  void floodsOfStrangersTouchNoOtherLoop() throws Exception {
    Channel honest = channel(server, token);
    put(honest, "mine");
    byte[] reset =
        concat(
            frame(RawHttp2.HEADERS, END_HEADERS, 1, RawHttp2.headers(PUT_BOOK, Map.of())),
            frame(RawHttp2.RST_STREAM, 0, 1, RawHttp2.number(8)));
    byte[] plain = "GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < 20; i++) {
      open(RawHttp2.open(server.port())).flood(2000, frame(RawHttp2.PING, 0, 0, new byte[8]));
      open(RawHttp2.open(server.port())).write(reset);
      open(RawHttp2.silent(server.port())).flood(2000, plain);
      open(RawHttp2.silent(server.port())).write((byte) 'P', (byte) 'R');
    }
    put(honest, "mine");
    assertThat(server.strangers().left()).as("the honest connection").isEqualTo(1);
    assertThat(loops).hasSize(2).noneMatch(loop -> loop.startsWith(STRANGERS));
  }

  @Test
  void aClientThatAsksAndDoesNotCallIsAnswered() throws Exception {
    RawHttp2 raw = open(RawHttp2.open(start(Duration.ZERO).port()));
    assertThat(raw.heard()).as("the settings").succeedsWithin(SOON);
    raw.write(frame(RawHttp2.PING, 0, 0, new byte[8]));
    assertThat(raw.said(RawHttp2.PING)).succeedsWithin(SOON);
  }

  @Test
  void aSlowClientIsServed() throws Exception {
    ApiServer hasty = start(Duration.ZERO);
    RawHttp2 raw = open(RawHttp2.open(hasty.port()));
    // Armeria says this.
    assertThat(raw.said(RawHttp2.WINDOW_UPDATE)).succeedsWithin(SOON);
    raw.write(
        frame(
            RawHttp2.HEADERS,
            END_HEADERS | END_STREAM,
            1,
            RawHttp2.headers(PUT_BOOK, Map.of("authorization", "Bearer " + token))));
    assertThat(raw.answer(1)).succeedsWithin(SOON);
    assertThat(raw.said(RawHttp2.GO_AWAY)).as("to connect again").succeedsWithin(SOON);
    put(channel(hasty, token), "mine");
  }

  /// Whatever it is that strangers let it do.
  @Test
  void itUsesNoMoreThanItsShareOfTheProcessors() throws Exception {
    long begun = System.nanoTime();
    long used = 0;
    for (int i = 0; i < 70; i++) {
      used += server.strangers().submit(StrangersLoopTest::work).get();
    }
    double earned = (System.nanoTime() - begun) * StrangersLoop.processors();
    assertThat((double) used).isLessThanOrEqualTo(earned + BURST.toNanos() + 2 * ROUND.toNanos());
  }

  /// @return the processor time that it took, in nanoseconds
  private static long work() {
    long begun = ProcessorShare.nanosOfThread();
    long used = 0;
    while (used < ROUND.toNanos()) {
      used = ProcessorShare.nanosOfThread() - begun;
    }
    return used;
  }

  @Test
  void itsConnectionsEndWithTheServer() throws Exception {
    RawHttp2 silent = open(RawHttp2.silent(server.port()));
    RawHttp2 begun = open(RawHttp2.open(server.port()));
    assertThat(begun.heard()).succeedsWithin(SOON);
    server.close();
    assertThat(silent.ends(SOON.toSeconds())).isTrue();
    assertThat(begun.ends(SOON.toSeconds())).isTrue();
    assertThat(server.strangers().isTerminated()).isTrue();
  }

  private static byte[] call(int stream, String method, String token) {
    Map<String, String> more =
        token.isEmpty() ? Map.of() : Map.of("authorization", "Bearer " + token);
    return frame(
        RawHttp2.HEADERS,
        END_HEADERS | END_STREAM,
        stream,
        RawHttp2.headers("/headgate.kit.test.v1.ShelfService/" + method, more));
  }

  private static void watch(Channel channel) {
    var watch =
        ShelfServiceGrpc.newBlockingStub(channel)
            .watchBooks(WatchBooksRequest.newBuilder().setParent("tenants/acme").build());
    assertThat(watch.next().getId()).isEqualTo("first");
  }

  private static byte[] concat(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  static void greet(Channel channel) {
    assertThat(
            ShelfServiceGrpc.newBlockingStub(channel)
                .greet(GreetRequest.newBuilder().setName("ada").build())
                .getText())
        .isEqualTo("hello ada");
  }

  private static void put(Channel channel, String id) {
    Book book = Book.newBuilder().setId(id).setPages(1).build();
    assertThat(put(channel, book)).isEqualTo(book);
  }

  private static Book put(Channel channel, Book book) {
    return ShelfServiceGrpc.newBlockingStub(channel)
        .putBook(PutBookRequest.newBuilder().setParent("tenants/acme").setBook(book).build());
  }

  private Channel channel(ApiServer to, String token) {
    return channel(to, new AtomicReference<>(token));
  }

  private Channel channel(ApiServer to, AtomicReference<String> token) {
    ManagedChannel channel =
        Channels.open(
            TestChannels.patient(to.uri()),
            () -> Optional.of(token.get()).filter(it -> !it.isEmpty()),
            Telemetry.disabled());
    open.add(channel::shutdownNow);
    return channel;
  }

  private <T extends AutoCloseable> T open(T made) {
    open.add(made);
    return made;
  }

  private ApiServer start(Duration patience) {
    ApiServerConfig defaults = ApiServerConfig.of("127.0.0.1", 0);
    ApiServer made =
        ApiServer.builder(defaults, Telemetry.disabled())
            .service(new Shelf())
            .authentication(
                new TokenVerifier(
                    TokenRules.DEFAULTS,
                    id -> {
                      checkers.add(Thread.currentThread().getName());
                      return tokens.keys().find(id);
                    },
                    TimeSource.system()))
            .interceptor(new Seen())
            .patience(patience)
            .build();
    made.start();
    open.add(made);
    return made;
  }

  private final class Seen implements ServerInterceptor {
    @Override
    public <ReqT, RespT> ServerCall.Listener<ReqT> interceptCall(
        ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
      loops.add(StrangersLoop.reads(ServiceRequestContext.current()) ? STRANGERS : "others");
      return next.startCall(call, headers);
    }
  }
}
