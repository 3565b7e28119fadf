package io.headgate.deploy.e2e;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/// A receiver of OTLP by HTTP that remembers spans, in both of the protocol's encodings.
final class SpanReceiver implements AutoCloseable {
  private final HttpServer server;
  private final List<Seen> spans = new CopyOnWriteArrayList<>();
  private volatile @Nullable URI metrics;
  private volatile boolean refuses;
  private volatile boolean hasRefusedSpans;

  /// A received span.
  ///
  /// @param links `traceId-spanId`
  record Seen(
      String service,
      String name,
      String traceId,
      String spanId,
      String parentId,
      long beginNanos,
      long endNanos,
      Map<String, String> attributes,
      List<String> links) {
    String link() {
      return traceId + "-" + spanId;
    }
  }

  private SpanReceiver(HttpServer server) {
    this.server = server;
  }

  /// Listens on a port of loopback; 0: any.
  static SpanReceiver start(int port) throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    SpanReceiver receiver = new SpanReceiver(server);
    server.createContext(
        "/",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          boolean isSpans = exchange.getRequestURI().getPath().equals("/v1/traces");
          URI metrics = receiver.metrics;
          if (metrics != null && exchange.getRequestURI().getPath().equals("/v1/metrics")) {
            exchange.sendResponseHeaders(pass(exchange, body, metrics), -1);
            exchange.close();
            return;
          }
          if (receiver.refuses) {
            receiver.hasRefusedSpans |= isSpans;
            exchange.sendResponseHeaders(503, -1);
            exchange.close();
            return;
          }
          if (isSpans) {
            boolean isJson =
                "application/json".equals(exchange.getRequestHeaders().getFirst("content-type"));
            receiver.spans.addAll(isJson ? json(body) : Message.spans(body));
          }
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.start();
    return receiver;
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  int port() {
    return server.getAddress().getPort();
  }

  /// Metrics are passed on to another receiver from now on.
  ///
  /// @param to its address for metrics
  void passMetrics(URI to) {
    metrics = to;
  }

  private static int pass(HttpExchange exchange, byte[] body, URI to) throws IOException {
    HttpURLConnection next = (HttpURLConnection) to.toURL().openConnection();
    next.setDoOutput(true);
    for (String header : List.of("content-type", "content-encoding")) {
      String value = exchange.getRequestHeaders().getFirst(header);
      if (value != null) {
        next.setRequestProperty(header, value);
      }
    }
    next.getOutputStream().write(body);
    return next.getResponseCode();
  }

  /// Whether it answers that it is not available. It still passes metrics on.
  void refuse(boolean refused) {
    refuses = refused;
  }

  boolean hasRefusedSpans() {
    return hasRefusedSpans;
  }

  List<Seen> spans() {
    return List.copyOf(spans);
  }

  /// The spans of one name, without those that came again.
  List<Seen> named(String name) {
    return spans.stream().filter(span -> span.name().equals(name)).distinct().toList();
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private static List<Seen> json(byte[] body) {
    Object request =
        new Load(LoadSettings.builder().build())
            .loadFromString(new String(body, StandardCharsets.UTF_8));
    List<Seen> seen = new ArrayList<>();
    for (Object resource : list(request, "resourceSpans")) {
      String service = attributes(map(resource).get("resource")).get("service.name");
      for (Object scope : list(resource, "scopeSpans")) {
        for (Object span : list(scope, "spans")) {
          Map<?, ?> of = map(span);
          seen.add(
              new Seen(
                  service,
                  text(of.get("name")),
                  text(of.get("traceId")),
                  text(of.get("spanId")),
                  of.containsKey("parentSpanId") ? text(of.get("parentSpanId")) : "",
                  Long.parseLong(text(of.get("startTimeUnixNano"))),
                  Long.parseLong(text(of.get("endTimeUnixNano"))),
                  attributes(span),
                  list(span, "links").stream()
                      .map(link ->
                          text(map(link).get("traceId")) + "-" + text(map(link).get("spanId")))
                      .toList()));
        }
      }
    }
    return seen;
  }

  private static Map<String, String> attributes(Object of) {
    Map<String, String> attributes = new LinkedHashMap<>();
    for (Object each : list(of, "attributes")) {
      attributes.put(
          text(map(each).get("key")), text(map(map(each).get("value")).values().iterator().next()));
    }
    return attributes;
  }

  private static Map<?, ?> map(Object of) {
    return (Map<?, ?>) of;
  }

  private static List<?> list(Object of, String name) {
    return map(of).get(name) instanceof List<?> list ? list : List.of();
  }

  private static String text(Object value) {
    return String.valueOf(value);
  }

  /// A protobuf message, read field by field: no generated class of OTLP is at hand.
  private record Message(Map<Integer, List<Object>> fields) {
    private static final int TYPE_BITS = 3;
    private static final int TYPES = 7;
    private static final int MORE = 0x80;

    static Message read(byte[] bytes) {
      ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
      Map<Integer, List<Object>> fields = new LinkedHashMap<>();
      while (in.hasRemaining()) {
        long tag = varint(in);
        Object value =
            switch ((int) (tag & TYPES)) {
              case 0 -> varint(in);
              case 1 -> in.getLong();
              case 2 -> {
                byte[] part = new byte[(int) varint(in)];
                in.get(part);
                yield part;
              }
              case 5 -> (long) in.getInt();
              default -> throw new IllegalArgumentException("wire type of tag " + tag);
            };
        fields.computeIfAbsent((int) (tag >> TYPE_BITS), _ -> new ArrayList<>()).add(value);
      }
      return new Message(fields);
    }

    private static long varint(ByteBuffer in) {
      long value = 0;
      for (int shift = 0; ; shift += 7) {
        byte next = in.get();
        value |= (long) (next & (MORE - 1)) << shift;
        if ((next & MORE) == 0) {
          return value;
        }
      }
    }

    List<Message> messages(int field) {
      return fields.getOrDefault(field, List.of()).stream()
          .map(bytes -> read((byte[]) bytes))
          .toList();
    }

    byte[] bytes(int field) {
      return fields.containsKey(field) ? (byte[]) fields.get(field).getFirst() : new byte[0];
    }

    String text(int field) {
      return new String(bytes(field), StandardCharsets.UTF_8);
    }

    String hex(int field) {
      return HexFormat.of().formatHex(bytes(field));
    }

    long number(int field) {
      return (long) fields.getOrDefault(field, List.of(0L)).getFirst();
    }

    Map<String, String> attributes(int field) {
      Map<String, String> attributes = new LinkedHashMap<>();
      for (Message each : messages(field)) {
        Message value = each.messages(2).getFirst();
        attributes.put(
            each.text(1), value.fields.containsKey(1) ? value.text(1) : "" + value.number(3));
      }
      return attributes;
    }

    static List<Seen> spans(byte[] request) {
      List<Seen> seen = new ArrayList<>();
      for (Message resource : read(request).messages(1)) {
        String service =
            resource.messages(1).getFirst().attributes(1).getOrDefault("service.name", "");
        for (Message scope : resource.messages(2)) {
          for (Message span : scope.messages(2)) {
            seen.add(
                new Seen(
                    service,
                    span.text(5),
                    span.hex(1),
                    span.hex(2),
                    span.hex(4),
                    span.number(7),
                    span.number(8),
                    span.attributes(9),
                    span.messages(13).stream()
                        .map(link -> link.hex(1) + "-" + link.hex(2))
                        .toList()));
          }
        }
      }
      return seen;
    }
  }
}
