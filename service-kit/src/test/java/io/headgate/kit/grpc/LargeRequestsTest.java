package io.headgate.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.protobuf.ByteString;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.auth.Principals;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.proto.test.v1.Book;
import io.headgate.kit.proto.test.v1.PutBookRequest;
import io.headgate.kit.proto.test.v1.ShelfServiceGrpc;
import io.headgate.kit.testing.ApiServerExtension;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A call with a large request takes no thread from other calls.
class LargeRequestsTest {
  @RegisterExtension
  static final ApiServerExtension SERVER =
      new ApiServerExtension(api -> api.service(new ThreadTeller()));

  /// Answers with the kind of thread of the handler, and of a part of the call.
  private static final class ThreadTeller extends ShelfServiceGrpc.ShelfServiceImplBase {
    @Override
    public void putBook(PutBookRequest request, StreamObserver<Book> answer) {
      assertThat(Principals.current().subject()).isEqualTo("tenants/acme/users/ada");
      if (request.getBook().getId().equals("refused")) {
        throw Refusal.failedPrecondition("SHELF_FULL", "the shelf is full").exception();
      }
      String handler = kind();
      CompletableFuture<String> part = new CompletableFuture<>();
      CallThreads.blocking().execute(() -> part.complete(kind()));
      CallThreads.when(
          part,
          answer,
          other -> {
            answer.onNext(Book.newBuilder().setId(handler + " " + other).setPages(1).build());
            answer.onCompleted();
          });
    }

    private static String kind() {
      return Thread.currentThread().isVirtual() ? "common" : "own";
    }
  }

  @Test
  void itsHandlerAndItsPartsHaveThreadsOfTheirOwn() {
    assertThat(put("emma", LargeRequests.LARGE_BYTES).getId()).isEqualTo("own own");
    assertThat(put("emma", 10).getId()).isEqualTo("common common");
  }

  @Test
  void itsFailureIsAnsweredLikeAnyOther() {
    Throwable failure = catchThrowable(() -> put("refused", LargeRequests.LARGE_BYTES));
    assertThat(GrpcFailures.refusal(failure).orElseThrow().reason()).isEqualTo("SHELF_FULL");
    Throwable invalid = catchThrowable(() -> put("", LargeRequests.LARGE_BYTES));
    assertThat(GrpcFailures.refusal(invalid).orElseThrow().violations()).isNotEmpty();
  }

  private static Book put(String id, int bytes) {
    return ShelfServiceGrpc.newBlockingStub(SERVER.channel(SERVER.tokens().member("acme", "ada")))
        .putBook(
            PutBookRequest.newBuilder()
                .setParent("tenants/acme")
                .setBook(
                    Book.newBuilder()
                        .setId(id)
                        .setPages(1)
                        .setContent(ByteString.copyFrom(new byte[bytes])))
                .build());
  }
}
