package io.headgate.kit.testing;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/// A receiver of OTLP by HTTP that remembers log records. It can refuse everything for a while.
public final class LogReceiver implements AutoCloseable {
  private final HttpServer server;
  private final List<Seen> records = new CopyOnWriteArrayList<>();
  private volatile boolean refuses;
  private volatile int refused;

  /// A received record.
  public record Seen(
      String service,
      String event,
      String text,
      String traceId,
      String spanId,
      long observedNanos,
      Map<String, String> attributes) {}

  private LogReceiver(HttpServer server) {
    this.server = server;
  }

  /// Listens on any port of loopback.
  public static LogReceiver start() throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    LogReceiver receiver = new LogReceiver(server);
    server.createContext(
        "/v1/logs",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          if (receiver.refuses) {
            receiver.refused++;
            exchange.sendResponseHeaders(400, -1);
          } else {
            receiver.records.addAll(records(body));
            exchange.sendResponseHeaders(200, -1);
          }
          exchange.close();
        });
    server.start();
    return receiver;
  }

  public URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /// Everything it took, in the order of arrival.
  public List<Seen> records() {
    return List.copyOf(records);
  }

  /// Whether it answers from now on that it takes nothing.
  public void refuse(boolean wanted) {
    refuses = wanted;
  }

  /// Requests that it refused.
  public int refused() {
    return refused;
  }

  @Override
  public void close() {
    server.stop(0);
  }

  /// Reads one field of a message.
  private interface Field {
    void read(int number, CodedInputStream from) throws IOException;
  }

  private static void message(CodedInputStream from, Field fields) throws IOException {
    for (int tag = from.readTag(); tag != 0; tag = from.readTag()) {
      int before = from.getTotalBytesRead();
      fields.read(WireFormat.getTagFieldNumber(tag), from);
      if (from.getTotalBytesRead() == before) {
        from.skipField(tag);
      }
    }
  }

  private static CodedInputStream inner(CodedInputStream from) throws IOException {
    return from.readBytes().newCodedInput();
  }

  /// ExportLogsServiceRequest of opentelemetry/proto/collector/logs/v1.
  private static List<Seen> records(byte[] body) throws IOException {
    List<Seen> found = new CopyOnWriteArrayList<>();
    message(
        CodedInputStream.newInstance(body),
        (number, from) -> {
          if (number == 1) {
            resourceLogs(inner(from), found);
          }
        });
    return found;
  }

  private static void resourceLogs(CodedInputStream resourceLogs, List<Seen> found)
      throws IOException {
    Map<String, String> resource = new HashMap<>();
    message(
        resourceLogs,
        (number, from) -> {
          switch (number) {
            case 1 ->
                message(
                    inner(from),
                    (field, value) -> {
                      if (field == 1) {
                        attribute(inner(value), resource);
                      }
                    });
            case 2 ->
                message(
                    inner(from),
                    (field, value) -> {
                      if (field == 2) {
                        found.add(record(inner(value), resource.getOrDefault("service.name", "")));
                      }
                    });
            default -> {}
          }
        });
  }

  private static Seen record(CodedInputStream record, String service) throws IOException {
    Map<String, String> words = new HashMap<>();
    Map<String, String> attributes = new HashMap<>();
    long[] observed = {0};
    message(
        record,
        (number, from) -> {
          switch (number) {
            case 5 -> words.put("text", value(inner(from)));
            case 6 -> attribute(inner(from), attributes);
            case 9 -> words.put("trace", HexFormat.of().formatHex(from.readByteArray()));
            case 10 -> words.put("span", HexFormat.of().formatHex(from.readByteArray()));
            case 11 -> observed[0] = from.readFixed64();
            case 12 -> words.put("event", from.readString());
            default -> {}
          }
        });
    return new Seen(
        service,
        words.getOrDefault("event", ""),
        words.getOrDefault("text", ""),
        words.getOrDefault("trace", ""),
        words.getOrDefault("span", ""),
        observed[0],
        Map.copyOf(attributes));
  }

  private static void attribute(CodedInputStream attribute, Map<String, String> into)
      throws IOException {
    String[] pair = {"", ""};
    message(
        attribute,
        (number, from) -> {
          switch (number) {
            case 1 -> pair[0] = from.readString();
            case 2 -> pair[1] = value(inner(from));
            default -> {}
          }
        });
    into.put(pair[0], pair[1]);
  }

  /// A string or a whole number.
  private static String value(CodedInputStream value) throws IOException {
    String[] text = {""};
    message(
        value,
        (number, from) -> {
          switch (number) {
            case 1 -> text[0] = from.readString();
            case 3 -> text[0] = Long.toString(from.readInt64());
            default -> {}
          }
        });
    return text[0];
  }
}
