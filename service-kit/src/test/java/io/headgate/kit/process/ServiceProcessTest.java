package io.headgate.kit.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.config.Default;
import io.headgate.kit.config.Secret;
import io.headgate.kit.config.Setting;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.grpc.ApiServerConfig;
import io.headgate.kit.lifecycle.CannotStartException;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.JavaProcess;
import io.headgate.kit.testing.JavaProcess.Ended;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(240)
@Order(1) // It takes longest.
class ServiceProcessTest {
  private static final Map<String, String> GOOD = Map.of("HEADGATE_KEY", "hunter2");

  /// The configuration of the process under test.
  record Config(
      @Setting(meaning = "Key of the shop.") Secret key,
      @Setting(meaning = "Port of the shop.", bound = "0 to 65535") @Default("0") int port) {}

  @ParameterizedTest
  @CsvSource({"--help", "-h", "some.yaml --help"})
  void explainsItself(String words) {
    Ended ended = run(words, Map.of());
    assertThat(ended.status()).isZero();
    assertThat(ended.said()).isEqualTo(Shop.HELP);
  }

  @Test
  void printsItsSettings() {
    Ended ended = run("--settings", Map.of());
    assertThat(ended.status()).isZero();
    assertThat(ended.said())
        .contains(
            """
              port
                  whole number, default 0; 0 to 65535
                  Port of the shop.
                  HEADGATE_PORT
            """);
  }

  @ParameterizedTest
  @CsvSource({
    "--serve, --serve",
    "a.yaml b.yaml, b.yaml",
    "--greet, --greet",
    "--greet you me, --greet you me"
  })
  void namesTheWordsItDoesNotUnderstand(String words, String named) {
    Ended ended = run(words, GOOD);
    assertThat(ended.status()).isEqualTo(ServiceProcess.EXIT_USAGE);
    assertThat(ended.said()).isEqualTo("not understood: " + named + "\n" + Shop.HELP);
  }

  @Test
  void namesTheFileThatIsNotThere() {
    Ended ended = run("absent.yaml", GOOD);
    assertThat(ended.status()).isEqualTo(ServiceProcess.EXIT_USAGE);
    assertThat(ended.said()).contains("absent.yaml").contains("there is no such file");
  }

  @Test
  void namesTheSecretThatIsMissing() {
    Ended ended = run("", Map.of());
    assertThat(ended.status()).isEqualTo(ServiceProcess.EXIT_USAGE);
    assertThat(ended.said()).contains("key").doesNotContain("Exception");
  }

  @Test
  void runsACommandAndEnds() {
    assertThat(run("--greet you", GOOD)).isEqualTo(new Ended(0, "hello you\n"));
  }

  @Test
  void saysInOneSentenceWhyItCannot() {
    assertThat(run("--greet nobody", GOOD))
        .isEqualTo(new Ended(ServiceProcess.EXIT_FAILED, "nobody is here: greet you\n"));
  }

  @Test
  void endsWhateverWasStartedWhenTheRestFails() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());
      Ended ended = run("", Map.of("HEADGATE_KEY", "hunter2", "HEADGATE_PORT", port));
      assertThat(ended.status()).isEqualTo(ServiceProcess.EXIT_FAILED);
      assertThat(ended.said())
          .contains("cannot listen on 127.0.0.1:" + port)
          .contains("api.port")
          .contains("closed the shop")
          .doesNotContain("hunter2");
    }
  }

  @Test
  void keepsWhatNobodyExpectedInTheLog() {
    Ended ended = run("--fall down", GOOD);
    assertThat(ended.status()).isEqualTo(ServiceProcess.EXIT_FAILED);
    assertThat(ended.said())
        .contains("failed; the log has the full error: java.lang.ArithmeticException: down")
        .contains("at io.headgate.kit.process.ServiceProcessTest$Shop");
  }

  @Test
  void servesUntilItIsTold() {
    try (JavaProcess process = JavaProcess.start(Shop.class, List.of(), GOOD)) {
      process.awaitSaid(Pattern.compile("the shop is open"));
      // 128 + SIGTERM, after an orderly stop.
      assertThat(process.stop()).isEqualTo(143);
    }
  }

  private static Ended run(String words, Map<String, String> environment) {
    return JavaProcess.run(
        Shop.class, words.isEmpty() ? List.of() : List.of(words.split(" ")), environment);
  }

  /// The main class of the process under test. A thread of its own would keep it alive for ever.
  static final class Shop {
    static final String USAGE = "usage: shop [CONFIG_FILE] [--greet WHOM]\n";
    static final String HELP =
        USAGE
            + """

            Settings that have no default (--settings prints all):
              key                                Key of the shop.
            """;

    private static final ServiceProcess<Config> PROCESS =
        new ServiceProcess<>(
                Config.class,
                USAGE,
                (config, lifecycle, terminal) -> {
                  Thread.ofPlatform().start(Shop::waitForEver);
                  lifecycle.own("shop", () -> terminal.println("closed the shop"));
                  ApiServer server =
                      ApiServer.builder(
                              ApiServerConfig.of("127.0.0.1", config.port()), Telemetry.disabled())
                          .build();
                  lifecycle.start("api", server::start, server::close);
                  terminal.println("the shop is open");
                })
            .command(
                "--greet",
                1,
                (_, whom, terminal) -> {
                  if (whom.equals(List.of("nobody"))) {
                    throw new IllegalStateException(
                        new CannotStartException("nobody is here: greet you"));
                  }
                  terminal.println("hello " + whom.getFirst());
                })
            .command(
                "--fall",
                1,
                (_, how, _) -> {
                  throw new ArithmeticException(how.getFirst());
                });

    private Shop() {}

    public static void main(String[] arguments) throws InterruptedException {
      PROCESS.main(arguments);
    }

    private static void waitForEver() {
      try {
        Thread.currentThread().join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
