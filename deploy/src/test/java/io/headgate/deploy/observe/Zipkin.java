package io.headgate.deploy.observe;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;

/// A running Zipkin.
public final class Zipkin implements AutoCloseable {
  private static final int ACCEPTED = 202;

  private final Daemon daemon;

  Zipkin(Daemon daemon) {
    this.daemon = daemon;
  }

  /// The page of a trace.
  public URI page(String traceId) {
    return daemon.uri().resolve("/zipkin/traces/" + traceId);
  }

  /// Stores spans in Zipkin's own form.
  public void take(String json) throws IOException, InterruptedException {
    HttpResponse<String> answer =
        daemon.send(
            HttpRequest.newBuilder(daemon.uri().resolve("/api/v2/spans"))
                .header("content-type", "application/json")
                .POST(BodyPublishers.ofString(json))
                .build());
    if (answer.statusCode() != ACCEPTED) {
      throw new IOException(answer.statusCode() + " " + answer.body());
    }
  }

  /// The trace as Zipkin has it.
  public Json trace(String traceId) throws IOException, InterruptedException {
    return Json.read(
        daemon
            .send(HttpRequest.newBuilder(daemon.uri().resolve("/api/v2/trace/" + traceId)).build())
            .body());
  }

  @Override
  public void close() {
    daemon.close();
  }
}
