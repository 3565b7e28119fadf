package io.headgate.kit.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.stub.BlockingClientCall;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.config.ByteSize;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.proto.test.v1.Book;
import io.headgate.kit.proto.test.v1.Chapter;
import io.headgate.kit.proto.test.v1.ShelfServiceGrpc;
import io.headgate.kit.proto.test.v1.WatchBooksRequest;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.ApiServerExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class WatchHubTest {
  private static final Duration HEARTBEAT = Duration.ofMillis(200);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final WatchLimits LIMITS = new WatchLimits(HEARTBEAT, PATIENCE, 10);

  @RegisterExtension
  static final ApiServerExtension SERVER =
      new ApiServerExtension(api -> api.service(new WatchedShelf()));

  private static volatile WatchHub hub = hub(LIMITS);
  private static volatile WatchSource<Book> source = new VersionedShelf();

  private final VersionedShelf shelf = new VersionedShelf();

  private static final String ONE_STEP = "one-step-from:";

  /// Serves the current test's hub; the version to begin with comes as the parent.
  private static final class WatchedShelf extends ShelfServiceGrpc.ShelfServiceImplBase {
    @Override
    public void watchBooks(WatchBooksRequest request, StreamObserver<Book> out) {
      String version = request.getParent();
      boolean oneStep = version.startsWith(ONE_STEP);
      hub.open(
          out,
          new WatchRequest(
              Long.parseLong(oneStep ? version.substring(ONE_STEP.length()) : version), oneStep),
          source instanceof Parts parts ? parts.ofAnotherWatcher() : source);
    }
  }

  WatchHubTest() {
    hub = hub(LIMITS);
    source = shelf;
  }

  @Test
  void beginsWithEverythingAndGoesOnWithChanges() throws Exception {
    shelf.put("a");
    shelf.put("b");
    var watch = watch(0);
    assertThat(next(watch)).isEqualTo("2: * a=1 b=2");
    hub.committed(shelf.put("a"));
    assertThat(nextChange(watch)).isEqualTo("3: a=3");
    watch.cancel("done", null);
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(hub.watchers()).isZero());
  }

  @Test
  void resumesAfterTheLastVersionSeenTellingEachThingOnce() throws Exception {
    shelf.put("a");
    shelf.put("b");
    shelf.put("a");
    shelf.put("a");
    assertThat(next(watch(1))).isEqualTo("4: b=2 a=4");
  }

  @Test
  void answersAtOnceEvenIfNothingIsNew() throws Exception {
    shelf.put("a");
    assertThat(next(watch(1))).isEqualTo("1:");
  }

  @Test
  void endsAfterOneStepIfTheClientAsksForNoMore() throws Exception {
    shelf.put("a");
    assertThat(pagesToTheEnd(oneStep(0))).containsExactly("1: * a=1");
    assertThat(pagesToTheEnd(oneStep(1))).as("nothing is new").containsExactly("1:");
    source = new Parts(10, 3);
    assertThat(pagesToTheEnd(oneStep(0))).as("parts of the step").hasSize(3);
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(hub.watchers()).isZero());
  }

  @Test
  void sendsEverythingWhenTheVersionIsForgottenOrUnknown() throws Exception {
    shelf.put("a");
    shelf.put("b");
    shelf.put("c");
    shelf.forget(2);
    assertThat(next(watch(1))).isEqualTo("3: * a=1 b=2 c=3");
    assertThat(next(watch(2))).isEqualTo("3: c=3");
    assertThat(next(watch(77))).isEqualTo("3: * a=1 b=2 c=3");
  }

  @Test
  void findsCommitsThatNobodyToldOfAtTheNextHeartbeat() throws Exception {
    shelf.put("a");
    var watch = watch(0);
    next(watch);
    shelf.put("b");
    assertThat(nextChange(watch)).isEqualTo("2: b=2");
    assertThat(next(watch)).isEqualTo("2:");
    assertThat(next(watch)).isEqualTo("2:");
  }

  @Test
  void aVersionThatNeverComesCostsNoEndlessReading() throws Exception {
    shelf.put("a");
    var watch = watch(0);
    next(watch);
    hub.committed(99);
    assertThat(next(watch)).isEqualTo("1:");
  }

  @Test
  void aWatchersPictureIsWhatWasTrueAtItsVersionWhateverIsWritten() throws Exception {
    int writers = 4;
    int writes = 200;
    // More than it needs: those that are cancelled leave when the server hears of it.
    hub = hub(new WatchLimits(HEARTBEAT, PATIENCE, 1000));
    shelf.put("start");
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int writer = 0; writer < writers; writer++) {
        int first = writer;
        threads.execute(() -> {
          for (int i = 0; i < writes; i++) {
            hub.committed(shelf.put("book-" + (first * 7 + i) % 20));
          }
        });
      }
      Map<String, Long> picture = new HashMap<>();
      long version = 0;
      var watch = watch(0);
      while (version < 1 + writers * writes) {
        Book message = read(watch);
        assertThat((long) message.getPages()).isGreaterThanOrEqualTo(version);
        version = message.getPages();
        for (Chapter chapter : message.getChaptersList()) {
          String[] parts = chapter.getTitle().split("=");
          if (parts.length == 2) {
            picture.put(parts[0], Long.valueOf(parts[1]));
          }
        }
        assertThat(picture).isEqualTo(shelf.at(version));
        if (version % 5 == 0) {
          watch.cancel("reconnects", null);
          watch = watch(version);
        }
      }
    }
  }

  @Test
  void cutsOffAWatcherThatTakesNothingAndNoOther() throws Exception {
    // Longer than a busy machine keeps the one that reads from reading.
    hub = hub(new WatchLimits(HEARTBEAT, Duration.ofSeconds(8), 10));
    source = new Megabytes();
    CompletableFuture<Refusal> cut = new CompletableFuture<>();
    ClientCall<WatchBooksRequest, Book> stuck = neverReading(channel(), cut);

    // The server cuts the watch off although its client never asked for a message; another goes on.
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(hub.watchers()).isEqualTo(1));
    var reading = watch(0);
    int version = 0;
    while (version == 0 || hub.watchers() == 2) {
      version++;
      assertThat(read(reading).getPages()).isEqualTo(version);
    }
    assertThat(read(reading).getPages()).isEqualTo(version + 1);
    assertThat(hub.watchers()).isEqualTo(1);
    // The client learns it once it reads.
    stuck.request(1_000_000);
    Refusal refusal = cut.get(60, TimeUnit.SECONDS);
    assertThat(refusal.reason()).isEqualTo("WATCHER_TOO_SLOW");
    assertThat(refusal.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(Long.parseLong(refusal.metadata().get("version"))).isLessThan(100);
    reading.cancel("done", null);
  }

  @Test
  void refusesMoreWatchersThanAllowedAndLetsNoTenantHaveAll() throws Exception {
    hub = hub(new WatchLimits(HEARTBEAT, PATIENCE, 10));
    shelf.put("a");
    Channel ada = SERVER.channel(SERVER.tokens().member("acme", "ada"));
    List<BlockingClientCall<?, Book>> open = openUntilRefused(ada, "tenants/acme/users/ada");
    assertThat(open).hasSize(5);
    // A tenant has twice as many as are free, whichever of its members asks.
    Channel eve = SERVER.channel(SERVER.tokens().member("acme", "eve"));
    open.addAll(openUntilRefused(eve, "tenant acme"));
    assertThat(open).hasSize(7);
    Channel bob = SERVER.channel(SERVER.tokens().member("globex", "bob"));
    assertThat(openUntilRefused(bob, "tenant globex")).hasSize(2);
    assertThat(hub.watchers()).isEqualTo(9);
    open.forEach(watch -> watch.cancel("done", null));
  }

  private static List<BlockingClientCall<?, Book>> openUntilRefused(Channel channel, String holder)
      throws Exception {
    List<BlockingClientCall<?, Book>> open = new ArrayList<>();
    while (true) {
      int before = hub.watchers();
      var watch = ShelfServiceGrpc.newBlockingV2Stub(channel).watchBooks(request(0));
      Refusal refusal = readOrRefused(watch);
      if (refusal != null) {
        assertThat(refusal.reason()).isEqualTo("TOO_MANY_WATCHERS");
        assertThat(refusal.code()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(refusal.message()).startsWith(holder + " has ").contains("may have");
        assertThat(hub.watchers()).isEqualTo(before);
        return open;
      }
      open.add(watch);
    }
  }

  private static Refusal readOrRefused(BlockingClientCall<?, Book> watch) throws Exception {
    try {
      read(watch);
      return null;
    } catch (StatusException e) {
      return GrpcFailures.refusal(e).orElseThrow();
    }
  }

  @Test
  void clientsThatDoNotReadCostAPartEachAndNoMoreThanTheirCallerMayHave() throws Exception {
    int page = 64 << 10;
    int mayHave = 4 * page;
    hub =
        hub(
            new WatchLimits(HEARTBEAT, Duration.ofSeconds(8), 100)
                .with(
                    new WatchMemory(
                        new ByteSize(page),
                        ByteSize.ofMebibytes(1),
                        new ByteSize(mayHave),
                        ByteSize.ofMebibytes(1),
                        ByteSize.ofMebibytes(1))));
    source = new Parts(page, 200);
    List<ClientCall<WatchBooksRequest, Book>> stuck = new ArrayList<>();
    CompletableFuture<Refusal> cut = new CompletableFuture<>();
    Channel ada = channel();
    for (int i = 0; i < 30; i++) {
      stuck.add(neverReading(ada, cut));
    }
    await().atMost(PATIENCE).until(() -> hub.watchers() == 30);
    await().atMost(PATIENCE).until(() -> hub.bytesInFlight() == mayHave);
    // Another caller reads all of its 200 parts meanwhile.
    source = new Parts(page, 200);
    Channel bob = SERVER.channel(SERVER.tokens().member("globex", "bob"));
    var reading = ShelfServiceGrpc.newBlockingV2Stub(bob).watchBooks(request(0));
    int read = 0;
    while (read(reading).getPages() == 0) {
      read++;
    }
    assertThat(read).isEqualTo(199);
    assertThat(hub.bytesInFlight()).isLessThanOrEqualTo(mayHave + page);
    // Each is cut off in time, the first for not reading, the others for want of room.
    await().atMost(PATIENCE).until(() -> hub.watchers() == 1);
    for (var call : stuck) {
      call.request(1_000_000);
    }
    assertThat(cut.get(60, TimeUnit.SECONDS).reason())
        .isIn("WATCHER_TOO_SLOW", "WATCHERS_NOT_READING");
    stuck.forEach(call -> call.cancel("done", null));
    reading.cancel("done", null);
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(hub.bytesInFlight()).isZero());
  }

  /// One caller has two of the four pages and the other caller has one, in either order.
  @Test
  void theClientsOfATenantTogetherHaveNoMoreBytesThanTheTenantMay() throws Exception {
    int page = 64 << 10;
    ByteSize plenty = ByteSize.ofMebibytes(1);
    ByteSize four = new ByteSize(4 * page);
    bytesInFlightAre(
        3L * page,
        new WatchMemory(new ByteSize(page), plenty, plenty, four, plenty),
        channel(),
        SERVER.channel(SERVER.tokens().member("acme", "eve")));
  }

  /// As when a proxy passes the calls of many users on.
  @Test
  void theClientsOfAConnectionTogetherHaveNoMoreBytesThanTheConnectionMay() throws Exception {
    int page = 64 << 10;
    ByteSize plenty = ByteSize.ofMebibytes(1);
    ByteSize four = new ByteSize(4 * page);
    Channel proxy = SERVER.anonymous();
    bytesInFlightAre(
        4L * page,
        new WatchMemory(new ByteSize(page), four, new ByteSize(3 * page), plenty, plenty),
        as(proxy, SERVER.tokens().member("acme", "ada")),
        as(proxy, SERVER.tokens().member("globex", "bob")));
  }

  private static Channel as(Channel connection, String token) {
    Metadata header = new Metadata();
    header.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
    return ClientInterceptors.intercept(
        connection, MetadataUtils.newAttachHeadersInterceptor(header));
  }

  /// Clients of two callers do not read. Meanwhile a third caller reads 200 parts on a connection
  /// of its own, so the others have had time to take more.
  private static void bytesInFlightAre(long most, WatchMemory memory, Channel... idle)
      throws Exception {
    int page = Math.toIntExact(memory.page().bytes());
    hub = hub(new WatchLimits(HEARTBEAT, PATIENCE, 100).with(memory));
    source = new Parts(page, 200);
    List<ClientCall<WatchBooksRequest, Book>> stuck = new ArrayList<>();
    for (Channel channel : idle) {
      for (int i = 0; i < 10; i++) {
        stuck.add(neverReading(channel, new CompletableFuture<>()));
      }
    }
    await().atMost(PATIENCE).until(() -> hub.watchers() == stuck.size());
    await().atMost(PATIENCE).until(() -> hub.bytesInFlight() == most);
    Channel honest = SERVER.channel(SERVER.tokens().member("initech", "carol"));
    var reading = ShelfServiceGrpc.newBlockingV2Stub(honest).watchBooks(request(0));
    int read = 1;
    while (read(reading).getPages() == 0) {
      read++;
    }
    assertThat(read).isEqualTo(200);
    reading.cancel("done", null);
    await().atMost(PATIENCE).until(() -> hub.watchers() == stuck.size());
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(hub.bytesInFlight()).isEqualTo(most));
    stuck.forEach(call -> call.cancel("done", null));
    await().atMost(PATIENCE).until(() -> hub.bytesInFlight() == 0);
  }

  @Test
  void clientsThatGoAwayWithoutReadingGiveAllBytesBack() {
    int page = 64 << 10;
    hub =
        hub(
            new WatchLimits(HEARTBEAT, PATIENCE, 100)
                .with(
                    new WatchMemory(
                        new ByteSize(page),
                        ByteSize.ofMebibytes(8),
                        ByteSize.ofMebibytes(8),
                        ByteSize.ofMebibytes(8),
                        ByteSize.ofMebibytes(8))));
    source = new Parts(page, 200);
    Channel ada = channel();
    for (int round = 0; round < 3; round++) {
      List<ClientCall<WatchBooksRequest, Book>> stuck = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        stuck.add(neverReading(ada, new CompletableFuture<>()));
      }
      await().atMost(PATIENCE).until(() -> hub.bytesInFlight() == 10L * page);
      stuck.forEach(call -> call.cancel("gone", null));
      await().atMost(PATIENCE).until(() -> hub.watchers() == 0);
      await().atMost(PATIENCE).until(() -> hub.bytesInFlight() == 0);
    }
  }

  private static ClientCall<WatchBooksRequest, Book> neverReading(
      Channel channel, CompletableFuture<Refusal> cut) {
    ClientCall<WatchBooksRequest, Book> call =
        channel.newCall(ShelfServiceGrpc.getWatchBooksMethod(), CallOptions.DEFAULT);
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            GrpcFailures.refusal(status.asRuntimeException(trailers)).ifPresent(cut::complete);
          }
        },
        new Metadata());
    call.sendMessage(request(0));
    call.halfClose();
    return call;
  }

  /// A snapshot of many parts, each as large as a page.
  private static final class Parts implements WatchSource<Book> {
    private final ByteString content;
    private final int parts;
    private int next;

    Parts(int page, int parts) {
      this(ByteString.copyFrom(new byte[page]), parts);
    }

    private Parts(ByteString content, int parts) {
      this.content = content;
      this.parts = parts;
    }

    Parts ofAnotherWatcher() {
      return new Parts(content, parts);
    }

    @Override
    public Step<Book> read(long version) {
      if (version == parts) {
        return new Step<>(version, List.of());
      }
      boolean more = ++next < parts;
      Book part = Book.newBuilder().setContent(content).setPages(more ? 0 : parts).build();
      return new Step<>(more ? 0 : parts, List.of(part), more);
    }

    @Override
    public Book alive(long version) {
      return Book.newBuilder().setPages(Math.toIntExact(version)).build();
    }
  }

  @Test
  void endsWithWhatAFailureMeans() throws Exception {
    source =
        new WatchSource<>() {
          @Override
          public Step<Book> read(long version) {
            throw Refusal.unavailable("DATABASE_UNAVAILABLE", "gone", Duration.ofSeconds(1))
                .exception();
          }

          @Override
          public Book alive(long version) {
            return Book.getDefaultInstance();
          }
        };
    assertThat(refused(watch(0)).reason()).isEqualTo("DATABASE_UNAVAILABLE");
  }

  @Test
  void endsEveryWatchWhenItCloses() throws Exception {
    shelf.put("a");
    var watch = watch(0);
    next(watch);
    hub.close();
    assertThat(refused(watch).reason()).isEqualTo("SERVER_STOPPING");
    assertThat(refused(watch(0)).reason()).isEqualTo("SERVER_STOPPING");
  }

  /// Always has another large message to tell.
  private static final class Megabytes implements WatchSource<Book> {
    private static final ByteString LARGE = ByteString.copyFrom(new byte[1 << 20]);

    @Override
    public Step<Book> read(long version) {
      Book next = alive(version + 1).toBuilder().setContent(LARGE).build();
      return new Step<>(version + 1, List.of(next));
    }

    @Override
    public Book alive(long version) {
      return Book.newBuilder().setPages(Math.toIntExact(version)).build();
    }
  }

  private static WatchHub hub(WatchLimits limits) {
    return new WatchHub("shelf", limits, Telemetry.disabled().meter("test"));
  }

  private static Channel channel() {
    return SERVER.channel(SERVER.tokens().member("acme", "ada"));
  }

  private static BlockingClientCall<?, Book> watch(long version) {
    return ShelfServiceGrpc.newBlockingV2Stub(channel()).watchBooks(request(version));
  }

  private static WatchBooksRequest request(long version) {
    return WatchBooksRequest.newBuilder().setParent(Long.toString(version)).build();
  }

  private static BlockingClientCall<?, Book> oneStep(long version) {
    return ShelfServiceGrpc.newBlockingV2Stub(channel())
        .watchBooks(WatchBooksRequest.newBuilder().setParent(ONE_STEP + version).build());
  }

  private static List<String> pagesToTheEnd(BlockingClientCall<?, Book> watch) throws Exception {
    List<String> pages = new ArrayList<>();
    Book page = watch.read(60, TimeUnit.SECONDS);
    while (page != null) {
      pages.add(text(page));
      page = watch.read(60, TimeUnit.SECONDS);
    }
    return pages;
  }

  private static Book read(BlockingClientCall<?, Book> watch) throws Exception {
    Book book = watch.read(60, TimeUnit.SECONDS);
    assertThat(book).isNotNull();
    return book;
  }

  /// The next message as `VERSION: CHANGED...`.
  private static String next(BlockingClientCall<?, Book> watch) throws Exception {
    return text(read(watch));
  }

  /// The next that is more than a heartbeat, which may always come in between.
  private static String nextChange(BlockingClientCall<?, Book> watch) throws Exception {
    Book message = read(watch);
    while (message.getChaptersCount() == 0) {
      message = read(watch);
    }
    return text(message);
  }

  private static String text(Book message) {
    StringBuilder text = new StringBuilder(message.getPages() + ":");
    message.getChaptersList().stream()
        .map(Chapter::getTitle)
        .forEach(title -> text.append(' ').append(title));
    return text.toString();
  }

  private static Refusal refused(BlockingClientCall<?, Book> watch) {
    List<Refusal> refusals = new ArrayList<>();
    assertThatThrownBy(
            () -> {
              while (watch.read(60, TimeUnit.SECONDS) != null) {
                // Reads to the end.
              }
            })
        .satisfies(failure -> {
          refusals.add(GrpcFailures.refusal(failure).orElseThrow());
        });
    return refusals.getFirst();
  }
}
