package io.headgate.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.proto.test.v1.GreetRequest;
import io.headgate.kit.proto.test.v1.GreetResponse;
import io.headgate.kit.proto.test.v1.ShelfServiceGrpc;
import io.headgate.kit.testing.ApiServerExtension;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Refusals with many and long texts, on the wire to a client with the usual limit of 8 KiB.
class LongRefusalTest {
  private static final Map<String, Refusal> REFUSALS =
      new TreeMap<>(
          Map.of(
              "rows", violations(200, "items[%d].name", "write 1 to 63 lower-case letters"),
              "patterns", violations(60, "vaults[v].images[%d]", "'*'".repeat(40)),
              "long", violations(3, "f".repeat(5000) + "%d", "ü".repeat(5000)),
              "message", Refusal.invalid("LONG", "ü".repeat(20_000)),
              "numbers", Refusal.invalid("LONG", "wrong").withMetadata("all", "9".repeat(50_000))));

  @RegisterExtension
  static final ApiServerExtension SERVER =
      new ApiServerExtension(api ->
          api.service(
              new ShelfServiceGrpc.ShelfServiceImplBase() {
                @Override
                public void greet(GreetRequest request, StreamObserver<GreetResponse> answer) {
                  throw REFUSALS.get(request.getName()).exception();
                }
              }));

  @Test
  void theFirstTwentyAndTheNumberOfTheOthersArrive() {
    Refusal rows = received("rows");
    assertThat(rows.violations()).hasSize(20);
    assertThat(rows.violations().getFirst().field()).isEqualTo("items[0].name");
    assertThat(rows.metadata()).containsEntry("omittedViolations", "180");
    Refusal patterns = received("patterns");
    int named = patterns.violations().size();
    assertThat(named).isBetween(10, 20);
    assertThat(patterns.metadata()).containsEntry("omittedViolations", "" + (60 - named));
  }

  @Test
  void everyRefusalArrivesWithItsReason() {
    REFUSALS.forEach((name, sent) -> {
      Refusal received = received(name);
      assertThat(received.code()).as(name).isEqualTo(Status.Code.INVALID_ARGUMENT);
      assertThat(received.reason()).as(name).isEqualTo(sent.reason());
      assertThat(sent.message())
          .as(name)
          .startsWith(received.message().replaceFirst("…$", "").substring(0, 5));
    });
    assertThat(received("long").violations().getFirst().field()).hasSizeLessThan(210).endsWith("…");
  }

  @Test
  void aShortenedRefusalThatIsPassedOnCountsOn() {
    Refusal first = received("rows");
    Refusal again =
        GrpcFailures.refusal(
                StatusProto.toStatusRuntimeException(
                    GrpcFailures.proto(first.withViolation("one.more", "is wrong"))))
            .orElseThrow();
    assertThat(again.violations()).hasSize(20);
    assertThat(again.metadata()).containsEntry("omittedViolations", "181");
  }

  private static Refusal violations(int count, String field, String description) {
    Refusal refusal = Refusal.invalid("INVALID_FIELD", "many fields are wrong");
    for (int i = 0; i < count; i++) {
      refusal = refusal.withViolation(field.formatted(i), description);
    }
    return refusal;
  }

  private static Refusal received(String name) {
    return GrpcFailures.refusal(
            catchThrowable(() ->
                ShelfServiceGrpc.newBlockingStub(SERVER.anonymous())
                    .greet(GreetRequest.newBuilder().setName(name).build())))
        .orElseThrow();
  }
}
