package io.headgate.kit.grpc;

import static io.headgate.kit.testing.RawHttp2.END_HEADERS;
import static io.headgate.kit.testing.RawHttp2.END_STREAM;
import static io.headgate.kit.testing.RawHttp2.frame;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.linecorp.armeria.server.ServiceRequestContext;
import com.nimbusds.jose.util.Base64URL;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.headgate.kit.auth.JwksKeySource;
import io.headgate.kit.auth.KeySource;
import io.headgate.kit.auth.Revocations;
import io.headgate.kit.auth.Revocations.News;
import io.headgate.kit.auth.Revocations.Revocation;
import io.headgate.kit.auth.TokenRules;
import io.headgate.kit.auth.TokenVerifier;
import io.headgate.kit.client.Channels;
import io.headgate.kit.position.WatchPosition;
import io.headgate.kit.proto.test.v1.ShelfServiceGrpc;
import io.headgate.kit.proto.test.v1.WatchBooksRequest;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.RawHttp2;
import io.headgate.kit.testing.TestChannels;
import io.headgate.kit.testing.TestClock;
import io.headgate.kit.testing.TestTokens;
import io.headgate.kit.time.TimeSource;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The delays of honest newcomers, and the loops that read their connections then.
@Timeout(120)
class LobbyTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final String ADA = "tenants/acme/users/ada";

  private final TestTokens tokens = TestTokens.create();
  private final String token = tokens.member("acme", "ada");
  private final List<AutoCloseable> open = new ArrayList<>();

  /// Where calls that passed the access rules were read.
  private final Queue<String> loops = new ConcurrentLinkedQueue<>();

  private final Queue<Boolean> refunds = new ConcurrentLinkedQueue<>();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
  }

  @Test
  void inventedKeysDoNotDelayNewcomersWhileKeysComeSlowly() throws Exception {
    TestClock clock = new TestClock();
    AtomicReference<Supplier<String>> issuer = new AtomicReference<>(tokens::jwks);
    KeySource keys = new JwksKeySource(() -> issuer.get().get(), clock);
    ApiServer server = start(verifier(keys), Duration.ofMinutes(1));
    watch(channel(server, token));
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answers = new CountDownLatch(1);
    open.add(answers::countDown);
    issuer.set(() -> {
      asked.countDown();
      await(answers);
      return tokens.jwks();
    });
    clock.advance(Duration.ofSeconds(5));
    List<RawHttp2> forgers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      RawHttp2 forger = open(RawHttp2.open(server.port()));
      forger.write(call(unsigned("invented-" + i)));
      forgers.add(forger);
    }
    await(asked);
    watch(channel(server, tokens.member("acme", "bob")));
    assertThat(loops).containsExactly("others", "others");
    answers.countDown();
    for (RawHttp2 forger : forgers) {
      assertThat(forger.answer(1)).succeedsWithin(SOON);
    }
  }

  /// A token with an unknown key, and no signature worth the name.
  private static String unsigned(String key) {
    String header = "{\"alg\":\"ES256\",\"typ\":\"at+jwt\",\"kid\":\"" + key + "\"}";
    return Base64URL.encode(header)
        + "."
        + Base64URL.encode("{}")
        + "."
        + Base64URL.encode(new byte[64]);
  }

  /// As after the restart of a server whose issuer is slow.
  @Test
  void aCheckThatOutlastsThePatienceOfTheLobbyStillDecides() {
    AtomicReference<ApiServer> server = new AtomicReference<>();
    KeySource slow =
        id -> {
          CountDownLatch isOver = new CountDownLatch(1);
          var _ =
              server
                  .get()
                  .strangers()
                  .schedule(isOver::countDown, 2 * PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
          await(isOver);
          return tokens.keys().find(id);
        };
    server.set(start(verifier(slow), PATIENCE));
    watch(channel(server.get(), token));
    assertThat(loops).containsExactly("others");
    assertThat(server.get().strangers().left()).isEqualTo(1);
  }

  @Test
  void aCallThatLiesUnreadWhileTheLoopPausesIsInTime() throws Exception {
    ApiServer server = start(verifier(tokens.keys()), PATIENCE);
    RawHttp2 raw = open(RawHttp2.open(server.port()));
    assertThat(raw.heard()).succeedsWithin(SOON);
    CountDownLatch isOver = new CountDownLatch(1);
    var pause = server.strangers().submit(() -> await(isOver));
    raw.write(call(token));
    CompletableFuture.delayedExecutor(2 * PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
        .execute(isOver::countDown);
    pause.get();
    assertThat(raw.answer(1)).succeedsWithin(SOON);
    assertThat(loops).containsExactly("others");
  }

  /// A defect must not leave a connection without an answer.
  @Test
  void aCheckThatFailsIsAnswered() throws Exception {
    AtomicInteger checks = new AtomicInteger();
    ApiServer server =
        start(
            verifier(id -> {
              checks.incrementAndGet();
              throw new IllegalStateException("of the test");
            }),
            Duration.ofMinutes(1));
    for (int i = 0; i < 10; i++) {
      RawHttp2 raw = open(RawHttp2.open(server.port()));
      raw.write(call(token));
      assertThat(raw.answer(1)).succeedsWithin(SOON);
    }
    assertThat(checks).hasValueGreaterThanOrEqualTo(10);
    assertThat(loops).isEmpty();
  }

  @Test
  void aRevokedTokenIsRefusedOnTheLoopOfStrangers() throws Exception {
    Revocations revocations = Revocations.followed(TimeSource.system());
    TokenVerifier verifier =
        new TokenVerifier(TokenRules.DEFAULTS, tokens.keys(), TimeSource.system(), revocations);
    ApiServer server = start(verifier, Duration.ofMinutes(1));
    watch(channel(server, token));
    revocations.apply(
        new News(new WatchPosition("first", 2), false, List.of(new Revocation(2, ADA))));
    assertThat(verifier.recent(token)).isPresent();
    RawHttp2 raw = open(RawHttp2.open(server.port()));
    raw.write(call(token));
    assertThat(raw.answer(1)).succeedsWithin(SOON);
    assertThat(raw.said(RawHttp2.GO_AWAY)).as("refused by this loop").succeedsWithin(SOON);
    assertThat(loops).as("the call before").containsExactly("others");
  }

  /// Such as the exchange of a key, after a power cut by all agents at once.
  @Test
  void aConnectionThatIsProvenByItsCallGivesItsCostBack() {
    ApiServer server = start(verifier(tokens.keys()), Duration.ofMinutes(1));
    Channel channel = channel(server, "");
    StrangersLoopTest.greet(channel);
    assertThat(refunds).as("before its proof, and after it").containsExactly(false, true);
  }

  @Test
  void manyShortMessagesAreHeldAsFew() {
    StrangersLoop strangers = StrangersLoop.create(TokenVerifier.refusingAll());
    open.add(strangers::shutdownGracefully);
    Lobby lobby = new Lobby(new Lobby.Rules(strangers, TokenVerifier.refusingAll(), 1, SOON, true));
    EmbeddedChannel channel = new EmbeddedChannel(lobby);
    channel.pipeline().fireUserEventTriggered(SslHandshakeCompletionEvent.SUCCESS);
    byte[] said = ("GET /" + "a".repeat(FirstCall.MOST_BYTES)).getBytes(StandardCharsets.US_ASCII);
    int most = 0;
    for (byte each : said) {
      channel.writeInbound(Unpooled.copiedBuffer(new byte[] {each}));
      most = Math.max(most, lobby.held());
    }
    assertThat(most).isBetween(1, 100);
    ByteBuf heard = Unpooled.buffer();
    for (ByteBuf part = channel.readInbound(); part != null; part = channel.readInbound()) {
      heard.writeBytes(part);
      part.release();
    }
    assertThat(heard).isEqualTo(Unpooled.wrappedBuffer(said));
    channel.finishAndReleaseAll();
  }

  @Test
  void aServerStopsWhileConnectionsMove() throws Exception {
    for (int i = 0; i < 3; i++) {
      ApiServer server = start(verifier(tokens.keys()), Duration.ofMinutes(1));
      List<RawHttp2> moving = new ArrayList<>();
      for (int j = 0; j < 10; j++) {
        RawHttp2 raw = open(RawHttp2.open(server.port()));
        raw.write(call(tokens.member("acme", "user" + j)));
        moving.add(raw);
      }
      server.close();
      for (RawHttp2 each : moving) {
        assertThat(each.ends(SOON.toSeconds())).isTrue();
      }
      assertThat(server.connections().open()).isZero();
      assertThat(server.strangers().inLobby()).isZero();
    }
  }

  private static byte[] call(String token) {
    return frame(
        RawHttp2.HEADERS,
        END_HEADERS | END_STREAM,
        1,
        RawHttp2.headers(
            "/headgate.kit.test.v1.ShelfService/WatchBooks",
            Map.of("authorization", "Bearer " + token)));
  }

  private static void watch(Channel channel) {
    var watch =
        ShelfServiceGrpc.newBlockingStub(channel)
            .watchBooks(WatchBooksRequest.newBuilder().setParent("tenants/acme").build());
    assertThat(watch.next().getId()).isEqualTo("first");
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private Channel channel(ApiServer to, String token) {
    ManagedChannel channel =
        Channels.open(
            TestChannels.patient(to.uri()),
            () -> Optional.of(token).filter(it -> !it.isEmpty()),
            Telemetry.disabled());
    open.add(channel::shutdownNow);
    return channel;
  }

  private <T extends AutoCloseable> T open(T made) {
    open.add(made);
    return made;
  }

  private static TokenVerifier verifier(KeySource keys) {
    return new TokenVerifier(TokenRules.DEFAULTS, keys, TimeSource.system());
  }

  private ApiServer start(TokenVerifier verifier, Duration patience) {
    ApiServer made =
        ApiServer.builder(ApiServerConfig.of("127.0.0.1", 0), Telemetry.disabled())
            .service(new Shelf())
            .authentication(verifier)
            .interceptor(new Seen())
            .patience(patience)
            .build();
    made.start();
    return open(made);
  }

  private final class Seen implements ServerInterceptor {
    @Override
    public <ReqT, RespT> ServerCall.Listener<ReqT> interceptCall(
        ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
      ServiceRequestContext context = ServiceRequestContext.current();
      boolean isStranger = StrangersLoop.reads(context);
      loops.add(isStranger ? "strangers" : "others");
      if (isStranger) {
        ConnectionCost cost =
            ConnectionCost.of(requireNonNull(context.log().partial().channel())).orElseThrow();
        refunds.add(cost.isGivenBack());
        ProvenConnection.ofCall().prove("key 1");
        refunds.add(cost.isGivenBack());
      }
      return next.startCall(call, headers);
    }
  }
}
