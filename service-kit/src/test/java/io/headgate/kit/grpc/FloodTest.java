package io.headgate.kit.grpc;

import static io.headgate.kit.testing.RawHttp2.END_HEADERS;
import static io.headgate.kit.testing.RawHttp2.END_STREAM;
import static io.headgate.kit.testing.RawHttp2.frame;
import static io.headgate.kit.testing.RawHttp2.number;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.headgate.kit.client.Channels;
import io.headgate.kit.config.ByteSize;
import io.headgate.kit.grpc.ApiServerConfig.Discovery;
import io.headgate.kit.proto.test.v1.Book;
import io.headgate.kit.proto.test.v1.PutBookRequest;
import io.headgate.kit.proto.test.v1.ShelfServiceGrpc;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.RawHttp2;
import io.headgate.kit.testing.TestChannels;
import io.headgate.kit.testing.TestTokens;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/// Hostile connections: what they may cost, and that honest callers of the same address are served
/// meanwhile. Runs alone: it looks at the whole log, and its floods would slow other tests.
@Timeout(120)
@Isolated
class FloodTest {
  /// Frames of a flood; a hundred times what a connection is allowed.
  private static final int FLOOD = 100_000;

  private static final long SECONDS = 20;
  private static final int IDLE_SECONDS = 1;

  /// The loggers that a request reaches. Threads of databases that ended with earlier tests may log
  /// still.
  private static final Pattern SERVING =
      Pattern.compile(
          "(com\\.linecorp\\.|io\\.netty\\.|io\\.grpc\\.|io\\.headgate\\.kit\\.(grpc|failure)\\.).*");

  private final TestTokens tokens = TestTokens.create();
  private final List<AutoCloseable> open = new ArrayList<>();
  private final ApiServer server = start();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
  }

  static Stream<Arguments> floods() {
    return Stream.of(
        argumentSet("PING", frame(RawHttp2.PING, 0, 0, new byte[8])),
        argumentSet("answers to PING", frame(RawHttp2.PING, 1, 0, new byte[8])),
        argumentSet("SETTINGS", frame(RawHttp2.SETTINGS, 0, 0)),
        argumentSet("WINDOW_UPDATE", frame(RawHttp2.WINDOW_UPDATE, 0, 0, number(1))),
        argumentSet("PRIORITY", frame(RawHttp2.PRIORITY, 0, 1, new byte[5])),
        argumentSet("a type that is not known", frame(0xee, 0, 0)));
  }

  @ParameterizedTest
  @MethodSource("floods")
  void aFloodOfFramesEndsItsConnection(byte[] frame) throws Exception {
    Channel honest = honest("ada");
    call(honest);
    RawHttp2 hostile = hostile();
    hostile.flood(FLOOD, frame);
    assertThat(hostile.ends(SECONDS)).isTrue();
    call(honest);
  }

  /// With and without waiting for the server's word on the upgrade.
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFloodAfterAnUpgradeFromPlainHttpEndsItsConnection(boolean waits) throws Exception {
    RawHttp2 hostile = RawHttp2.silent(server.port());
    open.add(hostile);
    hostile.write(
        """
        GET /v1/greetings/ada HTTP/1.1\r
        Host: localhost\r
        Connection: Upgrade, HTTP2-Settings\r
        Upgrade: h2c\r
        HTTP2-Settings: AAMAAABkAAQAAP__\r
        \r
        """
            .getBytes(StandardCharsets.US_ASCII));
    if (waits) {
      hostile.heard().get(SECONDS, TimeUnit.SECONDS);
    }
    hostile.begin();
    hostile.flood(FLOOD, frame(RawHttp2.PING, 0, 0, new byte[8]));
    assertThat(hostile.ends(SECONDS)).isTrue();
    call(honest("ada"));
  }

  static Stream<Arguments> requests() {
    String plain = "GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n";
    return Stream.of(
        argumentSet("one after the other, whatever the answers are", "", plain),
        argumentSet(
            "with large headers",
            "",
            "GET / HTTP/1.1\r\nHost: localhost\r\nX-Large: " + "a".repeat(7000) + "\r\n\r\n"),
        argumentSet(
            "in tiny pieces",
            """
            POST /v1/greetings/ada HTTP/1.1\r
            Host: localhost\r
            Transfer-Encoding: chunked\r
            \r
            """,
            "1\r\n \r\n"));
  }

  @ParameterizedTest
  @MethodSource("requests")
  void aFloodOfPlainHttpEndsItsConnection(String first, String request) throws Exception {
    Channel honest = honest("ada");
    call(honest);
    RawHttp2 hostile = RawHttp2.silent(server.port());
    open.add(hostile);
    hostile.write(first.getBytes(StandardCharsets.US_ASCII));
    byte[] flood = request.getBytes(StandardCharsets.US_ASCII);
    hostile.flood(FLOOD, flood);
    assertThat(hostile.ends(SECONDS)).isTrue();
    assertThat(server.connections().cut()).as("it is the budget that ends it").isPositive();
    call(honest);
  }

  /// Their cost comes back with the answers, however many requests follow one another.
  @Test
  void aSignedInClientOfPlainHttpIsNotCut() throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server.uri() + "/v1/tenants/acme/books"))
            .header("authorization", "Bearer " + tokens.member("acme", "ada"))
            .header("content-type", "application/json")
            .POST(BodyPublishers.ofString("{\"book\": {\"id\": \"mine\", \"pages\": 1}}"))
            .build();
    try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      for (int i = 0; i < 2 * FrameBudget.MOST; i++) {
        assertThat(client.send(request, BodyHandlers.discarding()).statusCode()).isEqualTo(200);
      }
    }
    assertThat(server.connections().cut()).isZero();
  }

  /// All of it arrives at once, before the server knows the protocol.
  @Test
  void aFloodThatBeginsWithItsConnectionIsCountedFromItsFirstRequest() throws Exception {
    RawHttp2 hostile = RawHttp2.silent(server.port());
    open.add(hostile);
    String many = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2000);
    hostile.flood(1, many.getBytes(StandardCharsets.US_ASCII));
    assertThat(hostile.ends(SECONDS)).isTrue();
    assertThat(server.connections().cut()).isPositive();
    call(honest("ada"));
  }

  @Test
  void headersWithoutEndEndTheirConnection() throws Exception {
    RawHttp2 hostile = hostile();
    hostile.write(frame(RawHttp2.HEADERS, 0, 1, headers(Map.of())));
    hostile.flood(FLOOD, frame(RawHttp2.CONTINUATION, 0, 1));
    assertThat(hostile.ends(SECONDS)).isTrue();
    call(honest("ada"));
  }

  @Test
  void aFloodOfEmptyDataEndsItsConnection() throws Exception {
    RawHttp2 hostile = hostile();
    hostile.write(frame(RawHttp2.HEADERS, END_HEADERS, 1, headers(Map.of())));
    hostile.flood(FLOOD, frame(RawHttp2.DATA, 0, 1));
    assertThat(hostile.ends(SECONDS)).isTrue();
    call(honest("ada"));
  }

  @Test
  void callsThatTheirClientResetsEndTheirConnection() throws Exception {
    RawHttp2 hostile = hostile();
    streams(hostile, stream -> frame(RawHttp2.RST_STREAM, 0, stream, number(8)));
    assertThat(hostile.ends(SECONDS)).isTrue();
    call(honest("ada"));
  }

  @Test
  void callsThatTheServerHasToResetEndTheirConnection() throws Exception {
    RawHttp2 hostile = hostile();
    // A window grows by at least one.
    streams(hostile, stream -> frame(RawHttp2.WINDOW_UPDATE, 0, stream, number(0)));
    assertThat(hostile.ends(SECONDS)).isTrue();
    call(honest("ada"));
  }

  @Test
  void callsWithoutATokenEndTheirConnection() throws Exception {
    RawHttp2 hostile = hostile();
    streams(hostile, stream -> frame(RawHttp2.DATA, END_STREAM, stream, new byte[5]));
    assertThat(hostile.ends(SECONDS)).isTrue();
    call(honest("ada"));
  }

  @FunctionalInterface
  private interface Second {
    byte[] frame(int stream);
  }

  /// Begins calls, each followed by another frame of its stream, until the connection ends.
  private static void streams(RawHttp2 hostile, Second second) {
    byte[] headers = headers(Map.of());
    for (int i = 0; i < FLOOD; i++) {
      int stream = 2 * i + 1;
      ByteArrayOutputStream both = new ByteArrayOutputStream();
      both.writeBytes(frame(RawHttp2.HEADERS, END_HEADERS, stream, headers));
      both.writeBytes(second.frame(stream));
      if (hostile.flood(1, both.toByteArray()) == 0) {
        return;
      }
    }
  }

  @Test
  void manyHeadersAreRefusedBeforeTheyAreRead() throws Exception {
    RawHttp2 hostile = hostile();
    byte[] large = headers(Map.of("x-large", "a".repeat(10 << 10)));
    hostile.write(frame(RawHttp2.HEADERS, END_STREAM | END_HEADERS, 1, large));
    hostile.flood(100, frame(RawHttp2.HEADERS, END_STREAM | END_HEADERS, 3, large));
    assertThat(hostile.ends(SECONDS)).isTrue();
    call(honest("ada"));
  }

  @Test
  void aConnectionThatSaysNothingIsClosed() throws Exception {
    assertThat(RawHttp2.silent(server.port()).ends(SECONDS)).as("nothing").isTrue();
    assertThat(hostile().ends(SECONDS)).as("the preface and no call").isTrue();
    try (RawHttp2 half = RawHttp2.silent(server.port())) {
      half.write("GET /v1/greetings/ada HTT".getBytes(StandardCharsets.US_ASCII));
      assertThat(half.ends(SECONDS)).as("a half request").isTrue();
    }
  }

  @Test
  void aBodyThatComesByteByByteDoesNotHoldACall() throws Exception {
    RawHttp2 hostile = hostile();
    Map<String, String> token = Map.of("authorization", "Bearer " + tokens.member("acme", "eve"));
    hostile.write(frame(RawHttp2.HEADERS, END_HEADERS, 1, headers(token)));
    // The message is announced as a hundred bytes.
    hostile.write(frame(RawHttp2.DATA, 0, 1, (byte) 0, (byte) 0, (byte) 0, (byte) 0, (byte) 100));
    AtomicBoolean over = new AtomicBoolean();
    var answer = hostile.answer(1).whenComplete((_, _) -> over.set(true));
    Thread slow =
        Thread.ofVirtual()
            .start(() -> {
              while (!over.get() && hostile.flood(1, frame(RawHttp2.DATA, 0, 1, (byte) 1)) == 1) {
                LockSupport.parkNanos(100_000_000);
              }
            });
    assertThat(answer).succeedsWithin(Duration.ofSeconds(SECONDS));
    slow.join();
    await().atMost(Duration.ofSeconds(SECONDS)).until(() -> server.callsInProgress() == 0);
  }

  static Stream<Arguments> unreadable() {
    return Stream.of(
        argumentSet("no message", new byte[0]),
        argumentSet("less than announced", new byte[] {0, 0, 0, 0, 9, 1}),
        argumentSet("no such message", new byte[] {0, 0, 0, 0, 2, 10, 99}),
        argumentSet("no gzip", new byte[] {1, 0, 0, 0, 3, 1, 2, 3}));
  }

  /// Any client can send one, so that an error of the server for each would fill the disk.
  @ParameterizedTest
  @MethodSource("unreadable")
  void anUnreadableMessageIsNotLogged(byte[] body) throws Exception {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
    root.addAppender(log);
    try {
      RawHttp2 hostile = hostile();
      Map<String, String> more =
          Map.of(
              "authorization", "Bearer " + tokens.member("acme", "eve"), "grpc-encoding", "gzip");
      hostile.write(frame(RawHttp2.HEADERS, END_HEADERS, 1, headers(more)));
      hostile.write(frame(RawHttp2.DATA, END_STREAM, 1, body));
      assertThat(hostile.answer(1)).succeedsWithin(Duration.ofSeconds(SECONDS));
      call(honest("ada"));
    } finally {
      root.detachAppender(log);
    }
    assertThat(log.list)
        .filteredOn(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
        .filteredOn(event -> SERVING.matcher(event.getLoggerName()).matches())
        .isEmpty();
  }

  @Test
  void anAgentGetsInBesideAJobThatReconnectsAllTheTime() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    List<Thread> jobs = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      jobs.add(Thread.ofPlatform().start(() -> reconnect(over)));
    }
    try {
      for (int i = 0; i < 3; i++) {
        call(honest("agent-" + i));
      }
    } finally {
      over.set(true);
      for (Thread job : jobs) {
        job.join();
      }
    }
  }

  private void reconnect(AtomicBoolean over) {
    byte[] call = frame(RawHttp2.HEADERS, END_STREAM | END_HEADERS, 1, headers(Map.of()));
    for (int i = 0; i < FLOOD && !over.get(); i++) {
      try (RawHttp2 hostile = RawHttp2.open(server.port())) {
        hostile.write(call);
      } catch (IOException e) {
        // Refused.
      }
    }
  }

  private static byte[] headers(Map<String, String> more) {
    return RawHttp2.headers("/headgate.kit.test.v1.ShelfService/PutBook", more);
  }

  /// A call of a member, who may try again as every client does.
  private static void call(Channel channel) {
    PutBookRequest request =
        PutBookRequest.newBuilder()
            .setParent("tenants/acme")
            .setBook(Book.newBuilder().setId("mine").setPages(1))
            .build();
    Book book =
        ShelfServiceGrpc.newBlockingStub(channel)
            .withWaitForReady()
            .withDeadlineAfter(SECONDS, TimeUnit.SECONDS)
            .putBook(request);
    assertThat(book.getId()).isEqualTo("mine");
  }

  private Channel honest(String user) {
    String token = tokens.member("acme", user);
    ManagedChannel channel =
        Channels.open(
            TestChannels.patient(server.uri()), () -> Optional.of(token), Telemetry.disabled());
    open.add(channel::shutdownNow);
    return channel;
  }

  private RawHttp2 hostile() throws IOException {
    RawHttp2 made = RawHttp2.open(server.port());
    open.add(made);
    return made;
  }

  private ApiServer start() {
    ApiServer made =
        ApiServer.builder(config(), Telemetry.disabled())
            .service(new Shelf())
            .authentication(tokens.verifier())
            .build();
    made.start();
    open.add(made);
    return made;
  }

  private static ApiServerConfig config() {
    return new ApiServerConfig(
        "127.0.0.1",
        0,
        Optional.empty(),
        Discovery.OFF,
        ByteSize.ofMebibytes(1),
        100,
        1000,
        100,
        64,
        1000,
        Duration.ofSeconds(1),
        Duration.ofSeconds(IDLE_SECONDS),
        Duration.ofHours(1),
        Duration.ofSeconds(5));
  }
}
