package io.headgate.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.grpc.Channel;
import io.grpc.Status;
import io.headgate.kit.auth.Revocations;
import io.headgate.kit.auth.Revocations.News;
import io.headgate.kit.auth.TokenRules;
import io.headgate.kit.auth.TokenVerifier;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.position.WatchPosition;
import io.headgate.kit.proto.test.v1.Book;
import io.headgate.kit.proto.test.v1.PutBookRequest;
import io.headgate.kit.proto.test.v1.ShelfServiceGrpc;
import io.headgate.kit.proto.test.v1.WatchBooksRequest;
import io.headgate.kit.testing.ApiServerExtension;
import io.headgate.kit.testing.TestClock;
import io.headgate.kit.time.TimeSource;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SilentIssuerTest {
  private static final TestClock CLOCK = new TestClock();
  private static final Revocations REVOCATIONS = Revocations.followed(CLOCK);

  @RegisterExtension
  static final ApiServerExtension SERVER =
      new ApiServerExtension(api -> api.service(new Shelf()).authentication(verifier()));

  private static TokenVerifier verifier() {
    return new TokenVerifier(
        TokenRules.DEFAULTS,
        id -> SERVER.tokens().keys().find(id),
        TimeSource.system(),
        REVOCATIONS);
  }

  @Test
  void changesByAdminsAreRefusedAfterAMinuteAndAllElseGoesOn() {
    Channel admin = SERVER.channel(SERVER.tokens().admin("acme"));
    Channel operator = SERVER.channel(SERVER.tokens().operator());
    Channel member = SERVER.channel(SERVER.tokens().member("acme", "ada"));
    put(admin);
    CLOCK.advance(Duration.ofSeconds(61));
    for (Channel governor : List.of(admin, operator)) {
      Refusal refusal = GrpcFailures.refusal(catchThrowable(() -> put(governor))).orElseThrow();
      assertThat(refusal.code()).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(refusal.reason()).isEqualTo("REVOCATIONS_UNKNOWN");
      assertThat(refusal.message()).contains("no news from policy-service for 61 s");
    }
    put(member);
    assertThat(
            ShelfServiceGrpc.newBlockingStub(member)
                .watchBooks(WatchBooksRequest.getDefaultInstance())
                .next()
                .getId())
        .isEqualTo("first");
    REVOCATIONS.apply(new News(new WatchPosition("first", 1), false, List.of()));
    put(admin);
  }

  private static void put(Channel caller) {
    var _ =
        ShelfServiceGrpc.newBlockingStub(caller)
            .putBook(
                PutBookRequest.newBuilder()
                    .setParent("tenants/acme")
                    .setBook(Book.newBuilder().setId("emma").setPages(1))
                    .build());
  }
}
