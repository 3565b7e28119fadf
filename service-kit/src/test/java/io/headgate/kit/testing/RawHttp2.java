package io.headgate.kit.testing;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// A connection that speaks HTTP/2 frame by frame, as no honest client would.
public final class RawHttp2 implements AutoCloseable {
  public static final int DATA = 0;
  public static final int HEADERS = 1;
  public static final int PRIORITY = 2;
  public static final int RST_STREAM = 3;
  public static final int SETTINGS = 4;
  public static final int PING = 6;
  public static final int GO_AWAY = 7;
  public static final int WINDOW_UPDATE = 8;
  public static final int CONTINUATION = 9;

  public static final int END_STREAM = 1;
  public static final int END_HEADERS = 4;

  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final int STREAM_MASK = 0x7fffffff;

  private final Socket socket;
  private final OutputStream out;
  private final Map<Integer, CompletableFuture<Integer>> answers = new ConcurrentHashMap<>();
  private final Map<Integer, CompletableFuture<Void>> said = new ConcurrentHashMap<>();
  private final CompletableFuture<Void> heard = new CompletableFuture<>();
  private final CompletableFuture<Void> end = new CompletableFuture<>();

  private RawHttp2(Socket socket) throws IOException {
    this.socket = socket;
    this.out = socket.getOutputStream();
  }

  /// A connection that only TCP knows of.
  public static RawHttp2 silent(int port) throws IOException {
    return over(new Socket("127.0.0.1", port));
  }

  /// A connection over a socket, that has said nothing.
  public static RawHttp2 over(Socket socket) throws IOException {
    RawHttp2 made = new RawHttp2(socket);
    Thread.ofVirtual().start(made::read);
    return made;
  }

  /// A connection that has said its preface and settings.
  public static RawHttp2 open(int port) throws IOException {
    RawHttp2 made = silent(port);
    made.begin();
    return made;
  }

  /// Says the preface and settings.
  public void begin() throws IOException {
    write(PREFACE);
    write(frame(SETTINGS, 0, 0));
  }

  public static byte[] frame(int type, int flags, int stream, byte... payload) {
    return ByteBuffer.allocate(9 + payload.length)
        .put((byte) (payload.length >> 16))
        .putShort((short) payload.length)
        .put((byte) type)
        .put((byte) flags)
        .putInt(stream)
        .put(payload)
        .array();
  }

  public static byte[] number(int value) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
  }

  /// The headers of a call of gRPC, each as a literal.
  ///
  /// @param path `/package.Service/Method`
  public static byte[] headers(String path, Map<String, String> more) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    literal(block, ":method", "POST");
    literal(block, ":scheme", "http");
    literal(block, ":path", path);
    literal(block, ":authority", "localhost");
    literal(block, "content-type", "application/grpc");
    literal(block, "te", "trailers");
    more.forEach((name, value) -> literal(block, name, value));
    return block.toByteArray();
  }

  private static void literal(ByteArrayOutputStream block, String name, String value) {
    block.write(0);
    text(block, name);
    text(block, value);
  }

  private static void text(ByteArrayOutputStream block, String text) {
    int prefix = 127;
    if (text.length() < prefix) {
      block.write(text.length());
    } else {
      block.write(prefix);
      int left = text.length() - prefix;
      for (; left >= 128; left >>= 7) {
        block.write(left % 128 + 128);
      }
      block.write(left);
    }
    block.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
  }

  public void write(byte... bytes) throws IOException {
    out.write(bytes);
  }

  /// Writes all of it at most `times`, until the server has ended the connection. Buffers on the
  /// way take megabytes, so all may be written before the server reads the first.
  ///
  /// @return how often it was written
  public int flood(int times, byte... bytes) {
    int written = 0;
    try {
      while (written < times && !end.isDone()) {
        out.write(bytes);
        written++;
      }
    } catch (IOException e) {
      // The server has ended the connection.
    }
    return written;
  }

  /// Whether the server ends the connection within this time.
  public boolean ends(long seconds) {
    try {
      end.get(seconds, TimeUnit.SECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /// Completes with the type of the first frame that answers the stream.
  public CompletableFuture<Integer> answer(int stream) {
    return answers.computeIfAbsent(stream, _ -> new CompletableFuture<>());
  }

  /// Completes when the server has said a frame of this type.
  public CompletableFuture<Void> said(int type) {
    return said.computeIfAbsent(type, _ -> new CompletableFuture<>());
  }

  /// Completes when anything has come from the server.
  public CompletableFuture<Void> heard() {
    return heard;
  }

  private void read() {
    try {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      while (true) {
        int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
        heard.complete(null);
        int type = in.readUnsignedByte();
        in.readUnsignedByte();
        int stream = in.readInt() & STREAM_MASK;
        in.skipNBytes(length);
        answer(stream).complete(type);
        said(type).complete(null);
      }
    } catch (IOException e) {
      end.complete(null);
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
