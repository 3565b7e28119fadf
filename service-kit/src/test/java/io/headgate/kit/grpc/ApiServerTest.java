package io.headgate.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.grpc.Status;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.failure.Refusal.FieldViolation;
import io.headgate.kit.proto.test.v1.Book;
import io.headgate.kit.proto.test.v1.Chapter;
import io.headgate.kit.proto.test.v1.GreetRequest;
import io.headgate.kit.proto.test.v1.OpenServiceGrpc.OpenServiceImplBase;
import io.headgate.kit.proto.test.v1.PutBookRequest;
import io.headgate.kit.proto.test.v1.ShelfServiceGrpc;
import io.headgate.kit.proto.test.v1.ShelfServiceGrpc.ShelfServiceBlockingStub;
import io.headgate.kit.proto.test.v1.WatchBooksRequest;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.ApiServerExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ApiServerTest {
  @RegisterExtension
  static final ApiServerExtension SERVER = new ApiServerExtension(api -> api.service(new Shelf()));

  @Test
  void servesAnonymousMethods() {
    var stub = ShelfServiceGrpc.newBlockingStub(SERVER.anonymous());
    assertThat(stub.greet(GreetRequest.newBuilder().setName("ada").build()).getText())
        .isEqualTo("hello ada");
  }

  @Test
  void servesMembersOfTheTenant() {
    assertThat(member().putBook(put("tenants/acme", "emma")).getId()).isEqualTo("emma");
  }

  @Test
  void reportsAllBrokenRulesAtOnce() {
    PutBookRequest request =
        PutBookRequest.newBuilder()
            .setBook(
                Book.newBuilder()
                    .setId("Not An Id")
                    .addChapters(Chapter.newBuilder().setTitle("one"))
                    .addChapters(Chapter.getDefaultInstance()))
            .build();
    Refusal refusal = refused(request);
    assertThat(refusal.code()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(refusal.violations())
        .extracting(FieldViolation::field)
        .containsExactlyInAnyOrder("parent", "book.id", "book.pages", "book.chapters[1].title");
  }

  @Test
  void carriesEveryPartOfARefusal() {
    Refusal refusal = refused(put("tenants/acme", "refused"));
    assertThat(refusal.code()).isEqualTo(Status.Code.FAILED_PRECONDITION);
    assertThat(refusal.reason()).isEqualTo("SHELF_FULL");
    assertThat(refusal.message()).isEqualTo("the shelf of acme is full");
    assertThat(refusal.metadata()).containsEntry("capacity", "3");
    assertThat(refusal.retryDelay()).hasValueSatisfying(d -> assertThat(d).hasMillis(1500));
  }

  @Test
  void keepsTheTextOfUnexpectedFailuresToItself() {
    SERVER.conformance().allowInternal();
    Refusal refusal = refused(put("tenants/acme", "broken"));
    assertThat(refusal.code()).isEqualTo(Status.Code.INTERNAL);
    assertThat(refusal.message()).doesNotContain("hunter2").contains("request");
  }

  @Test
  void refusesAStream() {
    var stub = ShelfServiceGrpc.newBlockingStub(SERVER.anonymous());
    Throwable failure =
        catchThrowable(() -> stub.watchBooks(WatchBooksRequest.getDefaultInstance()).next());
    assertThat(GrpcFailures.refusal(failure).orElseThrow().reason()).isEqualTo("TOKEN_MISSING");
  }

  @Test
  void refusesAMethodWithoutARule() {
    assertThatThrownBy(() ->
            ApiServer.builder(ApiServerConfig.of("127.0.0.1", 0), Telemetry.disabled())
                .service(new OpenServiceImplBase() {})
                .build())
        .hasMessageContaining("headgate.kit.test.v1.OpenService/Leak")
        .hasMessageContaining("headgate.kit.test.v1.OpenService/Blur");
  }

  private static Refusal refused(PutBookRequest request) {
    Throwable failure = catchThrowable(() -> member().putBook(request));
    return GrpcFailures.refusal(failure)
        .orElseThrow(() -> new AssertionError("not a refusal of ours", failure));
  }

  private static ShelfServiceBlockingStub member() {
    return ShelfServiceGrpc.newBlockingStub(SERVER.channel(SERVER.tokens().member("acme", "ada")));
  }

  private static PutBookRequest put(String parent, String id) {
    return PutBookRequest.newBuilder()
        .setParent(parent)
        .setBook(Book.newBuilder().setId(id).setPages(1))
        .build();
  }
}
