package io.headgate.kit.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.grpc.Status;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.grpc.ClientAddresses;
import io.headgate.kit.grpc.Shelf;
import io.headgate.kit.proto.test.v1.Book;
import io.headgate.kit.proto.test.v1.GreetRequest;
import io.headgate.kit.proto.test.v1.PutBookRequest;
import io.headgate.kit.proto.test.v1.ShelfServiceGrpc;
import io.headgate.kit.testing.AccessMatrix;
import io.headgate.kit.testing.ApiServerExtension;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

class AccessTest {
  private static final List<String> DENIED = new CopyOnWriteArrayList<>();

  @RegisterExtension
  static final ApiServerExtension SERVER =
      new ApiServerExtension(api ->
          api.service(new Shelf())
              .onDenied((caller, method) ->
                  DENIED.add(caller.subject() + " " + method + " " + ClientAddresses.current())));

  @TestFactory
  Stream<DynamicTest> everyMethodAdmitsExactlyItsRoles() {
    return AccessMatrix.tests(SERVER);
  }

  @Test
  void aForeignTenantLooksLikeAnAbsentOne() {
    String token = SERVER.tokens().member("acme", "ada");
    Refusal foreign = refused(token, "tenants/globex");
    Refusal absent = refused(token, "tenants/nowhere");
    assertThat(foreign.code()).isEqualTo(Status.Code.NOT_FOUND);
    assertThat(foreign.message().replace("globex", "nowhere")).isEqualTo(absent.message());
    assertThat(foreign.reason()).isEqualTo(absent.reason());
  }

  @Test
  void tellsOfCallsThatARoleMayNotMake() {
    refused(SERVER.tokens().node("acme", "gpu-7"), "tenants/acme");
    assertThat(DENIED)
        .contains("tenants/acme/nodes/gpu-7 headgate.kit.test.v1.ShelfService/PutBook 127.0.0.1");
  }

  @Test
  void anOperatorEntersEveryTenant() {
    var stub = ShelfServiceGrpc.newBlockingStub(SERVER.channel(SERVER.tokens().operator()));
    assertThat(stub.putBook(put("tenants/globex")).getId()).isEqualTo("emma");
  }

  @Test
  void aNameOutsideOfTenantsIsRefusedByField() {
    Refusal refusal = refused(SERVER.tokens().member("acme", "ada"), "groups/acme");
    assertThat(refusal.violations()).extracting(Refusal.FieldViolation::field).contains("name");
  }

  @Test
  void aBadTokenDoesNotKeepAnybodyFromAnAnonymousMethod() {
    var stub = ShelfServiceGrpc.newBlockingStub(SERVER.channel("nonsense"));
    assertThat(stub.greet(GreetRequest.newBuilder().setName("ada").build()).getText())
        .isEqualTo("hello ada");
  }

  private static Refusal refused(String token, String parent) {
    var stub = ShelfServiceGrpc.newBlockingStub(SERVER.channel(token));
    return GrpcFailures.refusal(catchThrowable(() -> stub.putBook(put(parent)))).orElseThrow();
  }

  private static PutBookRequest put(String parent) {
    return PutBookRequest.newBuilder()
        .setParent(parent)
        .setBook(Book.newBuilder().setId("emma").setPages(1))
        .build();
  }
}
