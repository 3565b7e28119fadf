package io.headgate.kit.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.BlockingClientCall;
import io.grpc.stub.StreamObserver;
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
  private static final WatchLimits LIMITS = new WatchLimits(HEARTBEAT, PATIENCE, 3);

  @RegisterExtension
  static final ApiServerExtension SERVER =
      new ApiServerExtension(api -> api.service(new WatchedShelf()));

  private static volatile WatchHub hub = hub(LIMITS);
  private static volatile WatchSource<Book> source = new VersionedShelf();

  private final VersionedShelf shelf = new VersionedShelf();

  /// Serves the current test's hub; the version to begin with comes as the parent.
  private static final class WatchedShelf extends ShelfServiceGrpc.ShelfServiceImplBase {
    @Override
    public void watchBooks(WatchBooksRequest request, StreamObserver<Book> out) {
      hub.open(out, Long.parseLong(request.getParent()), source);
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
    hub = hub(new WatchLimits(HEARTBEAT, Duration.ofSeconds(8), 3));
    source = new Megabytes();
    CompletableFuture<Refusal> cut = new CompletableFuture<>();
    ClientCall<WatchBooksRequest, Book> stuck =
        channel().newCall(ShelfServiceGrpc.getWatchBooksMethod(), CallOptions.DEFAULT);
    stuck.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            cut.complete(GrpcFailures.refusal(status.asRuntimeException(trailers)).orElseThrow());
          }
        },
        new Metadata());
    stuck.sendMessage(request(0));
    stuck.halfClose();

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
  void refusesMoreWatchersThanAllowed() throws Exception {
    shelf.put("a");
    List<BlockingClientCall<?, Book>> open = new ArrayList<>();
    for (int i = 0; i < LIMITS.maxWatchers(); i++) {
      var watch = watch(0);
      next(watch);
      open.add(watch);
    }
    assertThat(refused(watch(0)).reason()).isEqualTo("TOO_MANY_WATCHERS");
    assertThat(hub.watchers()).isEqualTo(LIMITS.maxWatchers());
    open.forEach(watch -> watch.cancel("done", null));
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
