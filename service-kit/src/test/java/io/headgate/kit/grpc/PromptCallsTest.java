package io.headgate.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.google.common.util.concurrent.ListenableFuture;
import io.grpc.Channel;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.stub.BlockingClientCall;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.auth.Principals;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.proto.test.v1.Book;
import io.headgate.kit.proto.test.v1.PutBookRequest;
import io.headgate.kit.proto.test.v1.ShelfServiceGrpc;
import io.headgate.kit.testing.ApiServerExtension;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Methods that are called very often do without threads of their own, unless they ask for one.
class PromptCallsTest {
  /// An event and the kind of its thread.
  private record Seen(String what, boolean isEventLoop) {}

  private static final Queue<Seen> SEEN = new ConcurrentLinkedQueue<>();

  /// A caller has.
  private static final CountDownLatch LEFT = new CountDownLatch(1);

  @RegisterExtension
  static final ApiServerExtension SERVER =
      new ApiServerExtension(api ->
          api.service(new WatchedShelf())
              .interceptor(new Watcher())
              .onDenied((caller, _) -> see(caller.subject() + " is denied"))
              .prompt(ShelfServiceGrpc.getPutBookMethod())
              .prompt(ShelfServiceGrpc.getExchangeMethod()));

  @BeforeEach
  void forget() {
    SEEN.clear();
  }

  @Test
  void aUnaryCallStaysOnItsEventLoopUntilItGoesApart() {
    assertThat(put("emma").getId()).isEqualTo("emma");
    assertThat(SEEN)
        .containsExactly(
            new Seen("PutBook begins", true),
            new Seen("tenants/acme/users/ada puts", true),
            new Seen("tenants/acme/users/ada waits", false));
  }

  @Test
  void aUnaryCallGoesOnOnItsEventLoopWhenAnAnswerIsThere() {
    assertThat(put("later").getId()).isEqualTo("later");
    assertThat(SEEN)
        .containsExactly(
            new Seen("PutBook begins", true),
            new Seen("tenants/acme/users/ada puts", true),
            new Seen("tenants/acme/users/ada hears", true));
  }

  @Test
  void aPartOfAUnaryCallMayBlockOnAThreadOfItsOwn() {
    assertThat(put("partly").getId()).isEqualTo("partly");
    assertThat(SEEN)
        .containsExactly(
            new Seen("PutBook begins", true),
            new Seen("tenants/acme/users/ada puts", true),
            new Seen("tenants/acme/users/ada waits", false),
            new Seen("tenants/acme/users/ada hears", true));
  }

  @Test
  void messagesOfAStreamComeOnItsEventLoop() throws Exception {
    BlockingClientCall<Book, Book> stream =
        ShelfServiceGrpc.newBlockingV2Stub(SERVER.channel(SERVER.tokens().node("acme", "gpu-1")))
            .exchange();
    Book book = Book.newBuilder().setId("emma").setPages(1).build();
    stream.write(book);
    assertThat(stream.read()).isEqualTo(book);
    stream.halfClose();
    assertThat(stream.read()).isNull();
    assertThat(SEEN)
        .containsExactly(new Seen("Exchange begins", true), new Seen("exchanges", true));
  }

  @Test
  void otherMethodsHaveAThreadFromTheBeginning() {
    var stub = ShelfServiceGrpc.newBlockingStub(member());
    assertThat(stub.importBook(request("x")).getId()).isEqualTo("imported");
    assertThat(SEEN).containsExactly(new Seen("ImportBook begins", false));
  }

  @Test
  void whatAHandlerThrowsIsAnsweredLikeThatOfAnyOther() {
    SERVER.conformance().allowInternal();
    Refusal refused = refusal(() -> put("refused"));
    assertThat(refused.reason()).isEqualTo("SHELF_FULL");
    assertThat(refused.metadata()).containsEntry("capacity", "3");
    assertThat(refusal(() -> put("broken")).message()).doesNotContain("hunter2");
    assertThat(refusal(() -> put("later-refused")).reason()).isEqualTo("SHELF_FULL");
    assertThat(refusal(() -> put("later-thrown")).metadata())
        .as("when the answer was there")
        .containsEntry("capacity", "3");
  }

  @Test
  void anAnswerForACallerThatHasLeftHarmsNobody() {
    ListenableFuture<Book> call =
        ShelfServiceGrpc.newFutureStub(member()).putBook(request("later-left"));
    await().until(() -> SEEN.contains(new Seen("tenants/acme/users/ada puts", true)));
    assertThat(call.cancel(true)).isTrue();
    LEFT.countDown();
    assertThat(put("emma").getId()).isEqualTo("emma");
    await().until(() -> SEEN.contains(new Seen("tenants/acme/users/ada hears", true)));
  }

  @Test
  void whoeverHearsOfDenialsMayBlock() {
    Channel node = SERVER.channel(SERVER.tokens().node("acme", "gpu-1"));
    var stub = ShelfServiceGrpc.newBlockingStub(node);
    for (int times = 0; times < 2; times++) {
      assertThat(refusal(() -> stub.putBook(request("emma"))).reason()).isEqualTo("ROLE_DENIED");
    }
    Seen denied = new Seen("tenants/acme/nodes/gpu-1 is denied", false);
    assertThat(SEEN).as("of a new token, and of one that is known").containsExactly(denied, denied);
  }

  @Test
  void aTokenThatIsNoneIsRefused() {
    var none = ShelfServiceGrpc.newBlockingStub(SERVER.anonymous());
    assertThat(refusal(() -> none.putBook(request("emma"))).reason()).isEqualTo("TOKEN_MISSING");
    var wrong = ShelfServiceGrpc.newBlockingStub(SERVER.channel("nonsense"));
    assertThat(refusal(() -> wrong.putBook(request("emma"))).reason()).isEqualTo("TOKEN_INVALID");
    assertThat(SEEN).isEmpty();
  }

  private static Book put(String id) {
    return ShelfServiceGrpc.newBlockingStub(member()).putBook(request(id));
  }

  private static PutBookRequest request(String id) {
    return PutBookRequest.newBuilder()
        .setParent("tenants/acme")
        .setBook(Book.newBuilder().setId(id).setPages(1))
        .build();
  }

  private static Channel member() {
    return SERVER.channel(SERVER.tokens().member("acme", "ada"));
  }

  private static Refusal refusal(ThrowingCallable call) {
    Throwable failure = catchThrowable(call);
    return GrpcFailures.refusal(failure)
        .orElseThrow(() -> new AssertionError("not a refusal of ours", failure));
  }

  private static void see(String what) {
    SEEN.add(new Seen(what, !Thread.currentThread().isVirtual()));
  }

  private static final class Watcher implements ServerInterceptor {
    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
      see(call.getMethodDescriptor().getBareMethodName() + " begins");
      return next.startCall(call, headers);
    }
  }

  private static final class WatchedShelf extends ShelfServiceGrpc.ShelfServiceImplBase {
    private final Shelf shelf = new Shelf();

    @Override
    public void putBook(PutBookRequest request, StreamObserver<Book> answer) {
      see(Principals.current().subject() + " puts");
      if (request.getBook().getId().equals("partly")) {
        CallThreads.when(
            CompletableFuture.runAsync(
                () -> see(Principals.current().subject() + " waits"), CallThreads.blocking()),
            answer,
            _ -> {
              see(Principals.current().subject() + " hears");
              shelf.putBook(request, answer);
            });
      } else if (request.getBook().getId().startsWith("later")) {
        CompletableFuture<PutBookRequest> later = new CompletableFuture<>();
        CallThreads.when(
            later,
            answer,
            put -> {
              see(Principals.current().subject() + " hears");
              shelf.putBook(put, answer);
            });
        Thread.ofVirtual().start(() -> complete(later, request));
      } else {
        CallThreads.apart(
            answer,
            () -> {
              see(Principals.current().subject() + " waits");
              shelf.putBook(request, answer);
            });
      }
    }

    private static void complete(CompletableFuture<PutBookRequest> later, PutBookRequest request) {
      String id = request.getBook().getId();
      if (id.endsWith("left")) {
        awaitLeft();
      }
      if (id.endsWith("refused")) {
        later.completeExceptionally(
            Refusal.exhausted("SHELF_FULL", "the shelf is full", Duration.ofSeconds(1))
                .exception());
      } else {
        later.complete(id.endsWith("thrown") ? request("refused") : request);
      }
    }

    private static void awaitLeft() {
      try {
        LEFT.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void importBook(PutBookRequest request, StreamObserver<Book> answer) {
      shelf.importBook(request, answer);
    }

    @Override
    public StreamObserver<Book> exchange(StreamObserver<Book> answer) {
      StreamObserver<Book> books = shelf.exchange(answer);
      return new StreamObserver<>() {
        @Override
        public void onNext(Book book) {
          see("exchanges");
          books.onNext(book);
        }

        @Override
        public void onError(Throwable failure) {
          books.onError(failure);
        }

        @Override
        public void onCompleted() {
          books.onCompleted();
        }
      };
    }
  }
}
