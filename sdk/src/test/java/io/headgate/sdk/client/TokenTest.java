package io.headgate.sdk.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.headgate.sdk.gate.TestGate;
import io.headgate.sdk.model.Credentials;
import io.headgate.sdk.model.HeadgateException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TokenTest {
  private final TestGate gate = TestGate.open();

  @AfterEach
  void close() {
    gate.close();
  }

  @Test
  void exchangesTheKeyOnceForManyCalls() {
    try (HeadgateClient client = HeadgateClient.connect(gate.config())) {
      client.whoAmI();
      client.whoAmI();
    }

    assertThat(gate.count("ExchangeKey")).isEqualTo(1);
    assertThat(gate.count("WhoAmI")).isEqualTo(2);
  }

  @Test
  void exchangesOnceForManyThreads() throws Exception {
    try (HeadgateClient client = HeadgateClient.connect(gate.config());
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<? extends Future<?>> calls =
          IntStream.range(0, 50).mapToObj(_ -> threads.submit(client::whoAmI)).toList();
      for (Future<?> call : calls) {
        call.get();
      }
    }

    assertThat(gate.count("ExchangeKey")).isEqualTo(1);
  }

  @Test
  void exchangesAgainWhenTheTokenIsRefused() {
    try (HeadgateClient client = HeadgateClient.connect(gate.config())) {
      client.whoAmI();
      gate.tokens.revokeAll();

      assertThat(client.whoAmI().user()).isEqualTo("ada");
    }

    assertThat(gate.count("ExchangeKey")).isEqualTo(2);
  }

  @Test
  void givesUpWhenAFreshTokenIsRefusedToo() {
    gate.tokens.life = Duration.ofHours(-1);
    try (HeadgateClient client = HeadgateClient.connect(gate.config())) {
      gate.failNext("WhoAmI", refused());
      gate.failNext("WhoAmI", refused());

      assertThat(catchThrowableOfType(HeadgateException.class, client::whoAmI).reason())
          .isEqualTo("TOKEN_EXPIRED");
    }
    assertThat(gate.count("WhoAmI")).isEqualTo(2);
  }

  @Test
  void saysThatTheKeyIsRejected() {
    try (HeadgateClient client =
        HeadgateClient.connect(gate.config().withCredentials(new Credentials.Key("hgk_other")))) {
      assertThat(catchThrowableOfType(HeadgateException.class, client::whoAmI).reason())
          .isEqualTo("KEY_REJECTED");
    }
  }

  @Test
  void secretsDoNotPrint() {
    assertThat(gate.config().toString()).doesNotContain(TestGate.KEY);
    assertThat(new Credentials.Token("secret").toString()).doesNotContain("secret");
  }

  private static io.grpc.StatusRuntimeException refused() {
    return TestGate.refusal(
        io.grpc.Status.Code.UNAUTHENTICATED, "TOKEN_EXPIRED", "the token has expired");
  }
}
