package io.headgate.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.StatusException;
import io.grpc.channelz.v1.ChannelzGrpc;
import io.grpc.channelz.v1.GetServersRequest;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.BlockingClientCall;
import io.headgate.kit.client.Channels;
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
import io.headgate.kit.testing.TestChannels;
import io.headgate.kit.testing.TestTokens;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Limits of size, number and time, and what a stop does to calls in progress.
@Timeout(120)
class StreamsTest {
  private static final Book BOOK = Book.newBuilder().setId("emma").setPages(1).build();
  private static final GreetRequest WAIT = GreetRequest.newBuilder().setName("wait").build();

  private final Shelf shelf = new Shelf();
  private final TestTokens tokens = TestTokens.create();
  private final List<ManagedChannel> channels = new ArrayList<>();
  private ApiServer server = start(config(Duration.ofSeconds(30), 100));

  @AfterEach
  void stop() {
    shelf.mayGreet.countDown();
    channels.forEach(ManagedChannel::shutdownNow);
    server.close();
  }

  @Test
  void aStreamMayCarryMoreThanAnyOneRequest() throws Exception {
    BlockingClientCall<Book, Book> stream = exchange();
    Book large = BOOK.toBuilder().setContent(ByteString.copyFrom(new byte[48 << 10])).build();
    for (int i = 0; i < 20; i++) {
      assertThat(stream.write(large)).isTrue();
      assertThat(stream.read()).isEqualTo(large);
    }
    stream.halfClose();
    assertThat(stream.read()).isNull();
  }

  @Test
  void oneMessageOfAStreamIsLimited() throws Exception {
    BlockingClientCall<Book, Book> stream = exchange();
    stream.write(BOOK.toBuilder().setContent(ByteString.copyFrom(new byte[65 << 10])).build());
    assertThat(refusal(catchThrowable(stream::read)).reason()).isEqualTo("MESSAGE_TOO_LARGE");
  }

  @Test
  void aUnaryMessageIsLimitedAlsoWhenItIsFarTooLarge() {
    for (int size : new int[] {65 << 10, 200 << 10, 3 << 20}) {
      PutBookRequest request =
          PutBookRequest.newBuilder()
              .setParent("tenants/acme")
              .setBook(BOOK.toBuilder().setContent(ByteString.copyFrom(new byte[size])))
              .build();
      Throwable failure =
          catchThrowable(() -> ShelfServiceGrpc.newBlockingStub(member()).putBook(request));
      assertThat(refusal(failure).reason()).as("%d bytes", size).isEqualTo("MESSAGE_TOO_LARGE");
    }
  }

  @Test
  void aMethodTakesAsMuchAsTheContractDeclaresForItAndNoOtherDoes() {
    var shelf = ShelfServiceGrpc.newBlockingStub(member());
    assertThat(shelf.putBook(ofSize(64 << 10)).getPages()).isEqualTo(1);
    assertThat(refusal(catchThrowable(() -> shelf.putBook(ofSize((64 << 10) + 1)))).reason())
        .isEqualTo("MESSAGE_TOO_LARGE");
    assertThat(shelf.importBook(ofSize(96 << 10)).getId()).isEqualTo("imported");
    Refusal refusal = refusal(catchThrowable(() -> shelf.importBook(ofSize((96 << 10) + 1))));
    assertThat(refusal.reason()).isEqualTo("MESSAGE_TOO_LARGE");
    assertThat(refusal(catchThrowable(() -> shelf.importBook(ofSize(3 << 20)))).reason())
        .isEqualTo("MESSAGE_TOO_LARGE");
  }

  private static PutBookRequest ofSize(int bytes) {
    PutBookRequest.Builder request = PutBookRequest.newBuilder().setParent("tenants/acme");
    // The lengths of content, book and request take a few bytes, depending on the lengths.
    for (int content = bytes - 100; ; content++) {
      PutBookRequest sized =
          request
              .setBook(BOOK.toBuilder().setContent(ByteString.copyFrom(new byte[content])))
              .build();
      if (sized.getSerializedSize() >= bytes) {
        assertThat(sized.getSerializedSize()).isEqualTo(bytes);
        return sized;
      }
    }
  }

  @Test
  void everyMessageOfAStreamIsValidated() throws Exception {
    BlockingClientCall<Book, Book> stream = exchange();
    stream.write(BOOK);
    assertThat(stream.read()).isEqualTo(BOOK);
    stream.write(BOOK.toBuilder().setPages(0).build());
    Refusal refusal = refusal(catchThrowable(stream::read));
    assertThat(refusal.violations().getFirst().field()).isEqualTo("pages");
  }

  @Test
  void aFailureInTheMiddleOfAStreamIsTranslated() {
    var books =
        ShelfServiceGrpc.newBlockingStub(member())
            .watchBooks(WatchBooksRequest.newBuilder().setParent("fail").build());
    assertThat(books.next().getId()).isEqualTo("first");
    assertThat(refusal(catchThrowable(books::next)).reason()).isEqualTo("INTERNAL");
  }

  @Test
  void aStopEndsStreamsAndTheirHandlersLearnOfIt() throws Exception {
    var books =
        ShelfServiceGrpc.newBlockingStub(member())
            .watchBooks(WatchBooksRequest.getDefaultInstance());
    books.next();
    server.close();
    assertThat(refusal(catchThrowable(books::next)).reason()).isEqualTo("SERVER_STOPPING");
    assertThat(shelf.watchEnded.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aStopLetsUnaryCallsFinish() throws Exception {
    var call = ShelfServiceGrpc.newFutureStub(channel(Optional.empty())).greet(WAIT);
    awaitCalls(1);
    Thread stopping = Thread.ofVirtual().start(server::close);
    while (server.health().isServing("")) {
      Thread.onSpinWait();
    }
    shelf.mayGreet.countDown();
    assertThat(call.get(60, TimeUnit.SECONDS).getText()).isEqualTo("hello wait");
    stopping.join();
  }

  @Test
  void callsAboveTheBoundAreRefused() {
    restart(config(Duration.ofSeconds(30), 2));
    Channel channel = channel(Optional.empty());
    var stub = ShelfServiceGrpc.newFutureStub(channel);
    var first = stub.greet(WAIT);
    var second = stub.greet(WAIT);
    awaitCalls(2);
    Throwable failure = catchThrowable(() -> ShelfServiceGrpc.newBlockingStub(channel).greet(WAIT));
    Refusal refusal = refusal(failure);
    assertThat(refusal.reason()).isEqualTo("OVERLOADED");
    assertThat(refusal.retryDelay()).isPresent();
    shelf.mayGreet.countDown();
    assertThat(first).succeedsWithin(Duration.ofSeconds(60));
    assertThat(second).succeedsWithin(Duration.ofSeconds(60));
    awaitCalls(0);
  }

  @Test
  void aUnaryCallEndsAtTheServersBoundWhateverItsDeadline() {
    restart(config(Duration.ofMillis(200), 100));
    Throwable failure =
        catchThrowable(() ->
            ShelfServiceGrpc.newBlockingStub(channel(Optional.empty()))
                .withDeadlineAfter(50, TimeUnit.SECONDS)
                .greet(WAIT));
    assertThat(refusal(failure).reason()).isEqualTo("DEADLINE_EXCEEDED");
  }

  @Test
  void aStreamOutlivesTheBoundOfUnaryCalls() throws Exception {
    restart(config(Duration.ofMillis(200), 100));
    BlockingClientCall<Book, Book> stream = exchange();
    stream.write(BOOK);
    stream.read();
    // A unary call that runs into the bound proves that more than the bound has passed.
    aDeadlinePasses();
    stream.write(BOOK);
    assertThat(stream.read()).isEqualTo(BOOK);
  }

  @Test
  void healthIsOpenAndFollowsWhatIsSet() {
    var health = HealthGrpc.newBlockingStub(channel(Optional.empty()));
    HealthCheckRequest all = HealthCheckRequest.getDefaultInstance();
    assertThat(health.check(all).getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
    server.health().set("", true);
    assertThat(health.check(all).getStatus()).isEqualTo(ServingStatus.SERVING);
  }

  @Test
  void anUnknownMethodIsUnimplemented() {
    assertThatThrownBy(() ->
            ChannelzGrpc.newBlockingStub(channel(Optional.empty()))
                .getServers(GetServersRequest.getDefaultInstance()))
        .hasMessageStartingWith("UNIMPLEMENTED");
  }

  private void aDeadlinePasses() {
    Throwable failure =
        catchThrowable(
            () -> ShelfServiceGrpc.newBlockingStub(channel(Optional.empty())).greet(WAIT));
    assertThat(refusal(failure).reason()).isEqualTo("DEADLINE_EXCEEDED");
  }

  private BlockingClientCall<Book, Book> exchange() throws StatusException {
    return ShelfServiceGrpc.newBlockingV2Stub(channel(Optional.of(tokens.node("acme", "gpu-1"))))
        .exchange();
  }

  private Channel member() {
    return channel(Optional.of(tokens.member("acme", "ada")));
  }

  private Channel channel(Optional<String> token) {
    ManagedChannel channel =
        Channels.open(TestChannels.patient(server.uri()), () -> token, Telemetry.disabled());
    channels.add(channel);
    return channel;
  }

  private void restart(ApiServerConfig config) {
    server.close();
    server = start(config);
  }

  private ApiServer start(ApiServerConfig config) {
    ApiServer started =
        ApiServer.builder(config, Telemetry.disabled())
            .service(shelf)
            .authentication(tokens.verifier())
            .build();
    started.start();
    return started;
  }

  private static ApiServerConfig config(Duration requestTimeout, int maxCalls) {
    return new ApiServerConfig(
        "127.0.0.1",
        0,
        Optional.empty(),
        Discovery.OFF,
        new ByteSize(64 << 10),
        100,
        100,
        100,
        64,
        maxCalls,
        requestTimeout,
        Duration.ofSeconds(60),
        Duration.ofHours(1),
        Duration.ofSeconds(20));
  }

  private void awaitCalls(int count) {
    await().atMost(Duration.ofSeconds(60)).until(() -> server.callsInProgress() == count);
  }

  private static Refusal refusal(Throwable failure) {
    return GrpcFailures.refusal(failure)
        .orElseThrow(() -> new AssertionError("not a refusal of ours", failure));
  }
}
