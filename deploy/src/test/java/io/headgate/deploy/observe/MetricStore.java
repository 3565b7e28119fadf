package io.headgate.deploy.observe;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// A program that answers queries of metrics, by the interface of Prometheus.
public final class MetricStore implements AutoCloseable {
  private static final double MILLIS = 1000;

  private final URI uri;
  private final HttpClient http = HttpClient.newHttpClient();
  private final Optional<Daemon> daemon;

  private MetricStore(URI uri, Optional<Daemon> daemon) {
    this.uri = uri;
    this.daemon = daemon;
  }

  /// One that runs already, and goes on running.
  public static MetricStore of(URI uri) {
    return new MetricStore(uri, Optional.empty());
  }

  static MetricStore of(Daemon daemon) {
    return new MetricStore(daemon.uri(), Optional.of(daemon));
  }

  /// Values of one series.
  ///
  /// @param points oldest first; one for an instant query
  public record Series(Map<String, String> labels, List<Point> points) {
    public double last() {
      return points.getLast().value();
    }

    /// A label's value; empty: there is no such label.
    public String label(String name) {
      return labels.getOrDefault(name, "");
    }
  }

  public record Point(Instant time, double value) {}

  /// The query was refused.
  public static final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    RefusedException(String message) {
      super(message);
    }
  }

  public URI uri() {
    return uri;
  }

  /// The values of now.
  public List<Series> now(String query) {
    return at(query, Instant.now());
  }

  public List<Series> at(String query, Instant time) {
    return ask("query", Map.of("query", query, "time", seconds(time)), "value");
  }

  /// The only value of now.
  ///
  /// @throws IllegalStateException if there is none, or several
  public double value(String query) {
    List<Series> found = now(query);
    if (found.size() != 1) {
      throw new IllegalStateException(query + " has " + found);
    }
    return found.getFirst().last();
  }

  public List<Series> range(String query, Instant begin, Instant end, Duration step) {
    return ask(
        "query_range",
        Map.of(
            "query",
            query,
            "start",
            seconds(begin),
            "end",
            seconds(end),
            "step",
            Double.toString(step.toMillis() / MILLIS)),
        "values");
  }

  /// Trace ids that the exemplars of a series name.
  public List<String> exemplarTraces(String query, Instant begin, Instant end) {
    Json answer =
        call(
            "query_exemplars",
            Map.of("query", query, "start", seconds(begin), "end", seconds(end)));
    return answer.at("data").list().stream()
        .flatMap(series -> series.at("exemplars").list().stream())
        .map(exemplar -> exemplar.at("labels", "trace_id").text())
        .toList();
  }

  private static String seconds(Instant time) {
    return "%.3f".formatted(time.toEpochMilli() / MILLIS);
  }

  private List<Series> ask(String path, Map<String, String> parameters, String points) {
    Json data = call(path, parameters).at("data");
    if (data.at("resultType").text().equals("scalar")) {
      return List.of(new Series(Map.of(), List.of(point(data.at("result")))));
    }
    return data.at("result").list().stream()
        .map(series -> {
          Map<String, String> labels = new TreeMap<>();
          series
              .at("metric")
              .map()
              .forEach((name, value) -> labels.put(String.valueOf(name), String.valueOf(value)));
          List<Point> all =
              points.equals("value")
                  ? List.of(point(series.at("value")))
                  : series.at("values").list().stream().map(MetricStore::point).toList();
          return new Series(labels, all);
        })
        .toList();
  }

  private static Point point(Json pair) {
    return new Point(
        Instant.ofEpochMilli((long) (pair.list().getFirst().number(0) * MILLIS)),
        number(pair.list().getLast().text()));
  }

  private static double number(String text) {
    return switch (text) {
      case "+Inf", "Inf" -> Double.POSITIVE_INFINITY;
      case "-Inf" -> Double.NEGATIVE_INFINITY;
      default -> Double.parseDouble(text);
    };
  }

  private Json call(String path, Map<String, String> parameters) {
    String form =
        parameters.entrySet().stream()
            .map(each ->
                each.getKey() + "=" + URLEncoder.encode(each.getValue(), StandardCharsets.UTF_8))
            .collect(Collectors.joining("&"));
    HttpRequest request =
        HttpRequest.newBuilder(uri.resolve("/api/v1/" + path))
            .header("content-type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(form))
            .build();
    try {
      HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
      Json answer = Json.read(response.body());
      if (!answer.at("status").text().equals("success")) {
        throw new RefusedException(parameters.get("query") + ": " + response.body());
      }
      return answer;
    } catch (IOException e) {
      throw new IllegalStateException(parameters.get("query"), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    http.close();
    daemon.ifPresent(Daemon::close);
  }
}
