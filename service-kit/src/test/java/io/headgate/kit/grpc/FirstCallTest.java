package io.headgate.kit.grpc;

import static io.headgate.kit.testing.RawHttp2.END_HEADERS;
import static io.headgate.kit.testing.RawHttp2.frame;
import static io.headgate.kit.testing.RawHttp2.number;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.RawHttp2;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Finds the token in the first words of a client, however its bytes arrive.
class FirstCallTest {
  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  private static final String PATH = "/headgate.kit.test.v1.ShelfService/PutBook";
  private static final int PADDED = 8;
  private static final int PRIORITY = 32;
  private static final byte[] SETTINGS = frame(RawHttp2.SETTINGS, 0, 0, new byte[6]);
  private static final byte[] BLOCK =
      RawHttp2.headers(PATH, Map.of("authorization", "Bearer good"));

  @SuppressWarnings("ImmutableEnumChecker") // No test changes the bytes.
  enum Case {
    HTTP2(
        "good",
        SETTINGS,
        frame(RawHttp2.WINDOW_UPDATE, 0, 0, number(9)),
        frame(RawHttp2.PRIORITY, 0, 3, new byte[5]),
        frame(RawHttp2.HEADERS, END_HEADERS, 1, BLOCK)),
    HTTP2_PADDED_WITH_PRIORITY(
        "good",
        frame(
            RawHttp2.HEADERS,
            END_HEADERS | PADDED | PRIORITY,
            1,
            all(new byte[] {3}, new byte[5], BLOCK, new byte[3]))),
    HTTP2_WITHOUT_A_TOKEN(
        "", frame(RawHttp2.HEADERS, END_HEADERS, 1, RawHttp2.headers(PATH, Map.of()))),
    HTTP2_WITH_ANOTHER_SCHEME(
        "",
        frame(
            RawHttp2.HEADERS,
            END_HEADERS,
            1,
            RawHttp2.headers(PATH, Map.of("authorization", "Basic good")))),
    HTTP2_IN_PARTS("", frame(RawHttp2.HEADERS, 0, 1, BLOCK)),
    HTTP2_MORE_PADDING_THAN_BYTES(
        "", frame(RawHttp2.HEADERS, END_HEADERS | PADDED, 1, all(new byte[] {-1}, BLOCK))),
    HTTP2_NO_HEADERS("", frame(RawHttp2.HEADERS, END_HEADERS | PADDED | PRIORITY, 1)),
    HTTP2_BROKEN_HEADERS("", frame(RawHttp2.HEADERS, END_HEADERS, 1, (byte) -1, (byte) -1)),
    HTTP2_AFTER_A_PING(
        "good",
        SETTINGS,
        frame(RawHttp2.PING, 0, 0, new byte[8]),
        frame(RawHttp2.HEADERS, END_HEADERS, 1, BLOCK)),
    HTTP2_AFTER_AN_UNKNOWN_FRAME(
        "good", frame(200, 0, 0, new byte[9]), frame(RawHttp2.HEADERS, END_HEADERS, 1, BLOCK)),
    HTTP2_DATA("", SETTINGS, frame(RawHttp2.DATA, 0, 1, new byte[8])),
    HTTP2_LONG_FRAME("", frame(RawHttp2.SETTINGS, 0, 0, new byte[FirstCall.MOST_BYTES])),
    HTTP1("good", ascii("GET / HTTP/1.1\r\nHost: a\r\naUTHORIZATION:  bearer good \r\n\r\n")),
    HTTP1_WITHOUT_A_TOKEN("", ascii("GET / HTTP/1.1\r\nHost: authorization\r\n\r\n")),
    HTTP1_ALMOST_HTTP2("", ascii("PRI * HTTP/2.0\r\n\r\nSX")),
    HTTP1_LONG("", ascii("GET /" + "a".repeat(FirstCall.MOST_BYTES)));

    private final Optional<String> token;
    private final byte[] said;

    Case(String token, byte[]... said) {
      this.token = Optional.of(token).filter(it -> !it.isEmpty());
      byte[] all = all(said);
      this.said = name().startsWith("HTTP2") ? all(ascii(PREFACE), all) : all;
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] all(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    Arrays.stream(parts).forEach(all::writeBytes);
    return all.toByteArray();
  }

  @ParameterizedTest
  @EnumSource
  void findsTheTokenAtOnce(Case given) {
    FirstCall call = new FirstCall();
    ByteBuf bytes = Unpooled.wrappedBuffer(given.said);
    assertThat(call.hear(bytes)).isTrue();
    assertThat(bytes.readableBytes()).as("left to the server").isEqualTo(given.said.length);
    assertThat(call.token()).isEqualTo(given.token);
    assertThat(call.isHttp2()).isEqualTo(given.name().startsWith("HTTP2"));
  }

  @ParameterizedTest
  @EnumSource
  void findsTheTokenByteByByte(Case given) {
    FirstCall call = new FirstCall();
    boolean isOver = false;
    for (int i = 0; i < given.said.length && !isOver; i++) {
      isOver = call.hear(Unpooled.wrappedBuffer(given.said, i, 1));
    }
    assertThat(isOver).isTrue();
    assertThat(call.token()).isEqualTo(given.token);
  }
}
