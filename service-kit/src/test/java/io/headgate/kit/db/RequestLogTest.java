package io.headgate.kit.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.kit.db.RequestLog.Request;
import io.headgate.kit.failure.RefusalException;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.TestClock;
import io.headgate.kit.testing.TestSecrets;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class RequestLogTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("requests");

  private final TestClock clock = new TestClock();
  private final RequestLog log = new RequestLog(clock, TestSecrets.seal(POSTGRES.database()));
  private final String id = UUID.randomUUID().toString();

  @Test
  void answersARepeatedRequestWithoutDoingItAgain() {
    int before = counted();
    assertThat(count(request("ada", "a"))).isEqualTo("done " + before);
    clock.advance(Duration.ofHours(23));
    assertThat(count(request("ada", "a"))).isEqualTo("done " + before);
    assertThat(counted()).isEqualTo(before + 1);
  }

  @Test
  void refusesAnIdThatWasUsedForSomethingElse() {
    count(request("ada", "a"));
    int before = counted();
    assertThatThrownBy(() -> count(request("ada", "b")))
        .isInstanceOfSatisfying(
            RefusalException.class,
            refused -> {
              assertThat(refused.refusal().reason()).isEqualTo("REQUEST_ID_REUSED");
              assertThat(refused.refusal().violations().getFirst().field()).isEqualTo("request_id");
              assertThat(refused.refusal().message()).contains(id);
            });
    assertThat(counted()).isEqualTo(before);
  }

  @Test
  void keepsCallersAndMethodsApart() {
    int before = counted();
    count(request("ada", "a"));
    count(request("bob", "a"));
    count(Request.of("ada", "Shelf.Remove", id, bytes("a")));
    assertThat(counted()).isEqualTo(before + 3);
  }

  @Test
  void forgetsARequestThatFailed() {
    int before = counted();
    assertThatThrownBy(() ->
            transaction(jooq ->
                log.once(
                    jooq,
                    request("ada", "a"),
                    () -> {
                      increment(jooq);
                      throw new IllegalStateException("refused");
                    })))
        .hasMessageContaining("refused");
    assertThat(counted()).isEqualTo(before);
    assertThat(count(request("ada", "a"))).isEqualTo("done " + before);
  }

  @Test
  void ofTwoAtOnceTheSecondGetsTheAnswerOfTheFirst() throws Exception {
    int before = counted();
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch second = new CountDownLatch(1);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Callable<String> slow =
          () ->
              transaction(jooq ->
                  log.once(
                      jooq,
                      request("ada", "a"),
                      () -> {
                        first.countDown();
                        await(second);
                        increment(jooq);
                        return bytes("slow");
                      }));
      Future<String> one = threads.submit(slow);
      first.await();
      Future<String> two =
          threads.submit(() -> {
            second.countDown();
            return count(request("ada", "a"));
          });
      assertThat(List.of(one.get(), two.get())).containsExactly("slow", "slow");
    }
    assertThat(counted()).isEqualTo(before + 1);
  }

  @Test
  void forgetsOldRequestsAsNewOnesCome() {
    count(request("ada", "a"));
    clock.advance(RequestLog.KEPT.plusSeconds(1));
    for (int i = 0; i < 3; i++) {
      count(Request.of("bob", "Shelf.Add", UUID.randomUUID().toString(), bytes("a")));
    }
    int before = counted();
    assertThat(count(request("ada", "b"))).isEqualTo("done " + before);
  }

  private Request request(String caller, String content) {
    return Request.of(caller, "Shelf.Add", id, bytes(content));
  }

  private String count(Request request) {
    return transaction(jooq ->
        log.once(
            jooq,
            request,
            () -> {
              String answer = "done " + jooq.fetchCount(DSL.table("counted"));
              increment(jooq);
              return bytes(answer);
            }));
  }

  private static String transaction(java.util.function.Function<DSLContext, byte[]> work) {
    byte[] answer =
        POSTGRES.database().jooq().transactionResult(inside -> work.apply(inside.dsl()));
    return new String(answer, StandardCharsets.UTF_8);
  }

  private static void increment(DSLContext jooq) {
    jooq.insertInto(DSL.table("counted"), DSL.field("n")).values(1).execute();
  }

  private static int counted() {
    return POSTGRES.database().jooq().fetchCount(DSL.table("counted"));
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
