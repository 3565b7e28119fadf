package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A change of supply and rights in which processes are killed with SIGKILL at each step. A service
/// process stands still at the step meanwhile, so nothing of it runs on. Afterwards all of the
/// change is in force in all three services, or nothing is.
@Tag("faults")
class KilledInChangeIT {
  private static int tenants;

  @TempDir private static Path directory;
  private static Standstill standstill;
  private static ServicesApart apart;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private ChangingTenant tenant;

  /// How far the client came before a call failed.
  private enum Progress {
    NOT_PREPARED,
    NOT_ANSWERED,
    ANSWERED
  }

  @BeforeAll
  static void start() throws Exception {
    standstill = new Standstill(Files.createDirectories(directory.resolve("standstill")));
    apart = ServicesApart.start(directory.resolve("data"), standstill);
  }

  @AfterAll
  static void stop() throws Exception {
    if (apart != null) {
      apart.end();
    }
  }

  /// A tenant in version 1.
  @BeforeEach
  void begin() throws IOException {
    String id = "t" + ++tenants;
    String token = apart.operatorToken();
    apart.createTenant(token, id);
    tenant = ChangingTenant.inFirstVersion(apart, id, token);
  }

  @AfterEach
  void endClient() {
    threads.shutdownNow();
  }

  private static Stream<Enum<?>> steps() {
    return Stream.concat(
        Arrays.stream(io.headgate.policy.runtime.ChangeFailpoint.values()),
        Arrays.stream(io.headgate.pool.runtime.ChangeFailpoint.values()));
  }

  private static boolean isOfPolicyService(Enum<?> step) {
    return step instanceof io.headgate.policy.runtime.ChangeFailpoint;
  }

  private static KeptProcess processAt(Enum<?> step) {
    return isOfPolicyService(step) ? apart.policyProcess() : apart.poolProcess();
  }

  /// Whether policy-service has committed the change at this step.
  private static boolean isDecided(Enum<?> step) {
    return switch (step) {
      case io.headgate.policy.runtime.ChangeFailpoint point ->
          switch (point) {
            case BEFORE_DECISION, BEFORE_COMMIT -> false;
            case AFTER_COMMIT, AFTER_SETTLEMENT, BEFORE_ANSWER -> true;
          };
      case io.headgate.pool.runtime.ChangeFailpoint point ->
          switch (point) {
            case BEFORE_PREPARED, AFTER_PREPARED -> false;
            case BEFORE_SETTLED, AFTER_SETTLED -> true;
          };
      default -> throw new IllegalArgumentException("no step of a change: " + step);
    };
  }

  @ParameterizedTest
  @MethodSource("steps")
  void theProcessThatTakesTheStepIsKilled(Enum<?> step) throws Exception {
    Future<Progress> client = changeUpTo(step);
    apart.kill(List.of(processAt(step)));
    standstill.release(step);

    assertThat(client.get())
        .as("the killed service gave no answer")
        .isIn(answersAfterDeathAt(step));
    assertVersion(isDecided(step) ? 2 : 1);
  }

  private static List<Progress> answersAfterDeathAt(Enum<?> step) {
    if (isOfPolicyService(step)) {
      return List.of(Progress.NOT_ANSWERED);
    }
    // policy-service answers for a decided change, whether or not pool-service has heard of it.
    return isDecided(step) ? List.of(Progress.ANSWERED) : List.of(Progress.NOT_PREPARED);
  }

  @ParameterizedTest
  @MethodSource("steps")
  void theOtherProcessesAreKilledAtTheStep(Enum<?> step) throws Exception {
    Future<Progress> client = changeUpTo(step);
    List<KeptProcess> others =
        new ArrayList<>(
            List.of(apart.policyProcess(), apart.poolProcess(), apart.schedulerProcess()));
    others.remove(processAt(step));
    apart.kill(others);
    standstill.release(step);

    // The client ends here, whatever it heard.
    Progress progress = client.get();
    if (isDecided(step) || progress == Progress.ANSWERED) {
      assertVersion(2);
    } else {
      assertVersion(progress == Progress.NOT_PREPARED ? 1 : tenant.awaitSettled());
    }
  }

  @ParameterizedTest
  @MethodSource("steps")
  void theClientIsKilledAtTheStep(Enum<?> step) throws Exception {
    Path file = Files.writeString(directory.resolve("t" + tenants + ".yaml"), tenant.file(2));
    standstill.arm(step);
    Process client =
        apart.command(directory.resolve("client.log"), "apply", "-f", file.toString(), "--yes");
    standstill.awaitReached(step);
    client.destroyForcibly().waitFor();
    standstill.release(step);

    int version = tenant.awaitSettled();
    assertThat(version).isIn(isDecided(step) ? List.of(2) : List.of(1, 2));
    tenant.awaitInForce(version);
    tenant.aLaterChangeWorks(version);
  }

  private void assertVersion(int version) {
    tenant.awaitInForce(version);
    tenant.theNextChangeWorks(version);
  }

  /// A client that prepares and commits a change, whose process stands still at the step.
  private Future<Progress> changeUpTo(Enum<?> step) throws IOException {
    standstill.arm(step);
    Future<Progress> client = threads.submit(this::change);
    standstill.awaitReached(step);
    return client;
  }

  private Progress change() {
    try {
      tenant.prepare("second", 1);
    } catch (StatusRuntimeException e) {
      return Progress.NOT_PREPARED;
    }
    try {
      tenant.commit("second", 1);
      return Progress.ANSWERED;
    } catch (StatusRuntimeException e) {
      return Progress.NOT_ANSWERED;
    }
  }
}
