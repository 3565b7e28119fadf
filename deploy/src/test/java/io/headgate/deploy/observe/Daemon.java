package io.headgate.deploy.observe;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// A server program of others on a port of loopback, with its log in a file.
final class Daemon implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final long STOP_SECONDS = 10;

  private final Process process;
  private final URI uri;
  private final HttpClient http = HttpClient.newHttpClient();

  private Daemon(Process process, URI uri) {
    this.process = process;
    this.uri = uri;
  }

  /// A port that no program listens on at present.
  static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Starts it, and waits until it answers at `health`.
  static Daemon start(List<String> command, Path log, int port, String health) throws IOException {
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    Daemon daemon = new Daemon(process, URI.create("http://127.0.0.1:" + port));
    try {
      await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(50))
          .until(() -> {
            if (!process.isAlive()) {
              throw new IllegalStateException(
                  "%s ended:%n%s".formatted(command.getFirst(), Files.readString(log)));
            }
            return daemon.isHealthy(health);
          });
    } catch (RuntimeException e) {
      daemon.close();
      throw e;
    }
    return daemon;
  }

  /// The program of this name on the path; a property names another place.
  static Optional<Path> find(String name, String property) {
    String told = System.getProperty(property, "");
    Stream<Path> places =
        told.isEmpty()
            ? Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":"))
                .map(directory -> Path.of(directory, name))
            : Stream.of(Path.of(told));
    return places.filter(Files::isExecutable).findFirst();
  }

  private boolean isHealthy(String path) throws InterruptedException {
    try {
      return send(HttpRequest.newBuilder(uri.resolve(path)).build()).statusCode() / 100 == 2;
    } catch (IOException e) {
      return false;
    }
  }

  URI uri() {
    return uri;
  }

  HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
    return http.send(request, BodyHandlers.ofString());
  }

  @Override
  public void close() {
    http.close();
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
