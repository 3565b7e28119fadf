package io.headgate.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyServerBuilder;
import io.headgate.kit.client.ChannelConfig;
import io.headgate.kit.client.Channels;
import io.headgate.kit.client.TokenSource;
import io.headgate.kit.config.ByteSize;
import io.headgate.kit.grpc.ApiServerConfig.Discovery;
import io.headgate.kit.grpc.ApiServerConfig.TlsConfig;
import io.headgate.kit.proto.test.v1.Book;
import io.headgate.kit.proto.test.v1.GreetRequest;
import io.headgate.kit.proto.test.v1.PutBookRequest;
import io.headgate.kit.proto.test.v1.ShelfServiceGrpc;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.RawHttp2;
import io.headgate.kit.testing.TestTokens;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(240)
class TlsTest {
  private static final char[] PASSWORD = "changeit".toCharArray();

  @TempDir Path directory;

  @Test
  void servesOnlyThoseWhoTrustItsCertificate() throws Exception {
    TlsConfig ours = certificate("ours");
    TlsConfig another = certificate("another");
    try (ApiServer server = start(ours)) {
      assertThat(server.uri().getScheme()).isEqualTo("https");
      assertThat(greet(server.uri(), ours.certificate())).isEqualTo("hello ada");
      assertThatThrownBy(() -> greet(server.uri(), another.certificate()))
          .hasMessageContaining("UNAVAILABLE");
      URI plain = URI.create("http://localhost:" + server.port());
      assertThatThrownBy(() -> greet(plain, ours.certificate()))
          .hasMessageContaining("UNAVAILABLE");
    }
  }

  @Test
  void speaksNoOlderVersionThanTls13() throws Exception {
    TlsConfig ours = certificate("ours");
    try (ApiServer server = start(ours)) {
      assertThat(handshake(server, ours, "TLSv1.3")).isEqualTo("TLSv1.3");
      assertThatThrownBy(() -> handshake(server, ours, "TLSv1.2"))
          .isInstanceOf(SSLException.class)
          .hasMessageContaining("protocol_version");
    }
  }

  @Test
  void callsNoServerThatSpeaksAnOlderVersionThanTls13() throws Exception {
    TlsConfig ours = certificate("ours");
    for (String version : List.of("TLSv1.3", "TLSv1.2")) {
      Server server =
          NettyServerBuilder.forPort(0)
              .sslContext(
                  GrpcSslContexts.forServer(ours.certificate().toFile(), ours.key().toFile())
                      .protocols(version)
                      .build())
              .addService(new Shelf())
              .build()
              .start();
      try {
        URI uri = URI.create("https://localhost:" + server.getPort());
        if (version.equals("TLSv1.3")) {
          assertThat(greet(uri, ours.certificate())).isEqualTo("hello ada");
        } else {
          assertThatThrownBy(() -> greet(uri, ours.certificate()))
              .hasMessageContaining("UNAVAILABLE");
        }
      } finally {
        server.shutdownNow();
      }
    }
  }

  @Test
  void aFloodOfFramesEndsItsConnection() throws Exception {
    TlsConfig ours = certificate("ours");
    try (ApiServer server = start(ours);
        SSLSocket socket = connect(server, ours)) {
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setApplicationProtocols(new String[] {"h2"});
      socket.setSSLParameters(parameters);
      socket.startHandshake();
      RawHttp2 hostile = RawHttp2.over(socket);
      hostile.begin();
      hostile.flood(100_000, RawHttp2.frame(RawHttp2.PING, 0, 0, new byte[8]));
      assertThat(hostile.ends(20)).isTrue();
      assertThat(greet(server.uri(), ours.certificate())).isEqualTo("hello ada");
    }
  }

  @Test
  void aConnectionLeavesTheLoopOfStrangersAfterItsHandshakeIfItsTokenIsGood() throws Exception {
    TlsConfig ours = certificate("ours");
    TestTokens tokens = TestTokens.create();
    try (ApiServer server = start(ours, tokens)) {
      assertThat(greet(server.uri(), ours.certificate())).isEqualTo("hello ada");
      assertThat(handshake(server, ours, "TLSv1.3")).isEqualTo("TLSv1.3");
      assertThat(server.strangers().left()).as("handshakes and calls of strangers").isZero();
      Book book =
          Book.newBuilder()
              .setId("large")
              .setPages(1)
              .setContent(ByteString.copyFrom(new byte[900_000]))
              .build();
      for (int i = 1; i <= 10; i++) {
        String token = tokens.member("acme", "ada-" + i);
        assertThat(put(server.uri(), ours.certificate(), token, book)).isEqualTo(book);
        assertThat(server.strangers().left()).isEqualTo(i);
      }
      assertThat(plainHttp(server, ours, tokens.member("acme", "ada"))).contains(" 200 ");
      assertThat(server.strangers().left()).as("HTTP/1.1").isEqualTo(11);
    }
  }

  private static Book put(URI server, Path trust, String token, Book book) {
    ManagedChannel channel = open(server, trust, () -> Optional.of(token));
    try {
      return ShelfServiceGrpc.newBlockingStub(channel)
          .putBook(PutBookRequest.newBuilder().setParent("tenants/acme").setBook(book).build());
    } finally {
      Channels.close(channel);
    }
  }

  /// The first line of the answer.
  private static String plainHttp(ApiServer server, TlsConfig trusted, String token)
      throws Exception {
    String body = "{\"book\": {\"id\": \"mine\", \"pages\": 1}}";
    String request =
        "POST /v1/tenants/acme/books HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
            + "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s";
    try (SSLSocket socket = connect(server, trusted)) {
      socket
          .getOutputStream()
          .write(request.formatted(token, body.length(), body).getBytes(StandardCharsets.US_ASCII));
      return new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
          .readLine();
    }
  }

  /// Opens a connection that offers one version only.
  private static String handshake(ApiServer server, TlsConfig trusted, String version)
      throws Exception {
    try (SSLSocket socket = connect(server, trusted)) {
      socket.setEnabledProtocols(new String[] {version});
      socket.startHandshake();
      return socket.getSession().getProtocol();
    }
  }

  private static SSLSocket connect(ApiServer server, TlsConfig trusted) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    try (InputStream pem = Files.newInputStream(trusted.certificate())) {
      store.setCertificateEntry(
          "server", CertificateFactory.getInstance("X.509").generateCertificate(pem));
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return (SSLSocket) context.getSocketFactory().createSocket("localhost", server.port());
  }

  private static ManagedChannel open(URI server, Path trust, TokenSource tokens) {
    ChannelConfig config =
        new ChannelConfig(
            server,
            Optional.of(trust),
            Duration.ofMinutes(2),
            Duration.ofSeconds(20),
            ByteSize.ofMebibytes(1));
    return Channels.open(config, tokens, Telemetry.disabled());
  }

  private static String greet(URI server, Path trust) {
    ManagedChannel channel = open(server, trust, TokenSource.anonymous());
    try {
      return ShelfServiceGrpc.newBlockingStub(channel)
          .greet(GreetRequest.newBuilder().setName("ada").build())
          .getText();
    } finally {
      Channels.close(channel);
    }
  }

  private static ApiServer start(TlsConfig tls) {
    return start(tls, TestTokens.create());
  }

  private static ApiServer start(TlsConfig tls, TestTokens tokens) {
    ApiServerConfig config =
        new ApiServerConfig(
            "localhost",
            0,
            Optional.of(tls),
            Discovery.OFF,
            ByteSize.ofMebibytes(1),
            100,
            100,
            100,
            64,
            100,
            Duration.ofSeconds(30),
            Duration.ofSeconds(60),
            Duration.ofHours(1),
            Duration.ofSeconds(5));
    ApiServer server =
        ApiServer.builder(config, Telemetry.disabled())
            .service(new Shelf())
            .authentication(tokens.verifier())
            .build();
    server.start();
    return server;
  }

  /// A self-signed certificate for localhost, made by the JDK's own tool.
  private TlsConfig certificate(String name) throws Exception {
    Path store = directory.resolve(name + ".p12");
    Process keytool =
        new ProcessBuilder(
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
                    "SAN=dns:localhost,ip:127.0.0.1",
                    "-validity",
                    "2",
                    "-storetype",
                    "PKCS12",
                    "-keystore",
                    store.toString(),
                    "-storepass",
                    new String(PASSWORD)))
            .redirectErrorStream(true)
            .start();
    String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(keytool.waitFor()).as(said).isZero();
    return pem(store, name);
  }

  private TlsConfig pem(Path store, String name) throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream stream = Files.newInputStream(store)) {
      keys.load(stream, PASSWORD);
    }
    return new TlsConfig(
        write(name + ".crt", "CERTIFICATE", keys.getCertificate("key").getEncoded()),
        write(name + ".key", "PRIVATE KEY", keys.getKey("key", PASSWORD).getEncoded()));
  }

  private Path write(String file, String kind, byte[] content) throws IOException {
    String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    String pem = "-----BEGIN " + kind + "-----\n" + body + "\n-----END " + kind + "-----\n";
    return Files.writeString(directory.resolve(file), pem);
  }
}
