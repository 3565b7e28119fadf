package io.headgate.sdk.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.netty.GrpcSslContexts;
import io.headgate.sdk.cli.TestCli.Result;
import io.headgate.sdk.gate.TestGate;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Encrypted connections, and the errors when only one side encrypts.
@Timeout(240)
class TlsTest {
  private static final char[] PASSWORD = "changeit".toCharArray();

  @TempDir Path home;

  @Test
  void anAuthorityOfOnesOwnIsTrustedOnceLoginNamesIt() throws Exception {
    KeyStore ours = store("ours");
    try (TestGate gate = TestGate.open(tls(ours))) {
      Result stranger = login(gate, "--timeout", "5s");
      assertThat(stranger.exitCode()).isEqualTo(5);
      assertThat(stranger.err())
          .contains("the certificate of " + gate.address() + " cannot be trusted")
          .contains("headgate login --server URL --ca FILE.pem");

      assertThat(login(gate, "--ca", pem(ours).toString()).exitCode()).isZero();

      assertThat(TestCli.in(home).run("whoami", "-o", "name").out())
          .as("the context remembers the authority")
          .isEqualTo("tenants/acme/users/ada\n");
    }
  }

  @Test
  void anAuthorityFileThatIsNotThereIsNamed() {
    Result result =
        TestCli.in(home)
            .reading(TestGate.KEY + "\n")
            .run(
                "login",
                "--server",
                "https://127.0.0.1:1",
                "--key-stdin",
                "--ca",
                home + "/no.pem");

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err()).contains("\"" + home + "/no.pem\" does not exist");
  }

  @Test
  void eachSideSaysWhichAddressWouldBeRight() throws Exception {
    try (TestGate encrypted = TestGate.open(tls(store("ours")));
        TestGate plain = TestGate.open()) {
      assertThat(jobsAt("http://127.0.0.1:" + encrypted.port()).err())
          .contains(
              "closed the connection at once: if it uses TLS, its address begins with https://");
      assertThat(jobsAt("https://127.0.0.1:" + plain.port()).err())
          .contains("answers without TLS: its address begins with http://");
    }
  }

  private Result jobsAt(String server) {
    return TestCli.in(home).with("HEADGATE_KEY", TestGate.KEY).run("jobs", "--server", server);
  }

  private Result login(TestGate gate, String... more) {
    List<String> words =
        new java.util.ArrayList<>(
            List.of("login", "--server", gate.address().toString(), "--key-stdin"));
    words.addAll(List.of(more));
    return TestCli.in(home).reading(TestGate.KEY + "\n").run(words.toArray(String[]::new));
  }

  private static SslContext tls(KeyStore store) throws Exception {
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, PASSWORD);
    return GrpcSslContexts.configure(SslContextBuilder.forServer(keys)).build();
  }

  @Test
  void noOlderVersionThanTls13IsSpoken() throws Exception {
    KeyStore ours = store("ours");
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(ours, PASSWORD);
    SslContext old =
        GrpcSslContexts.configure(SslContextBuilder.forServer(keys)).protocols("TLSv1.2").build();
    try (TestGate gate = TestGate.open(old)) {
      Result result = login(gate, "--ca", pem(ours).toString(), "--timeout", "5s");
      assertThat(result.exitCode()).isEqualTo(5);
      assertThat(result.err()).contains(gate.address() + " does not offer TLS 1.3");
    }
  }

  private Path pem(KeyStore store) throws Exception {
    Certificate certificate = store.getCertificate("key");
    Path file = home.resolve("authority.pem");
    String body =
        Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
            .encodeToString(certificate.getEncoded());
    Files.writeString(
        file, "-----BEGIN CERTIFICATE-----\n" + body + "\n-----END CERTIFICATE-----\n");
    return file;
  }

  /// Makes a self-signed certificate for this machine with the JDK's keytool.
  private KeyStore store(String name) throws Exception {
    Path file = home.resolve(name + ".p12");
    List<String> words =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            "-genkeypair",
            "-alias",
            "key",
            "-keyalg",
            "EC",
            "-groupname",
            "secp256r1",
            "-dname",
            "CN=localhost",
            "-ext",
            "SAN=ip:127.0.0.1",
            "-validity",
            "2",
            "-storetype",
            "PKCS12",
            "-keystore",
            file.toString(),
            "-storepass",
            String.valueOf(PASSWORD));
    Process keytool = new ProcessBuilder(words).redirectErrorStream(true).start();
    String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(keytool.waitFor()).as(said).isZero();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD);
    }
    return store;
  }
}
