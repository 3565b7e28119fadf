package io.headgate.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.time.TimeSource;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.net.InetAddress;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Frames that the server sends, as Netty writes them: the header of a DATA frame apart from its
/// payload.
class FrameBudgetTest {
  private static final int LONGEST = 4096;

  private final TimeSource time = TimeSource.system();
  private final Connections connections = new Connections(10, 10, time);
  private final EmbeddedChannel channel = new EmbeddedChannel();

  @BeforeEach
  void connect() {
    connections.admit(channel, InetAddress.ofLiteral("10.0.0.1"));
    channel.pipeline().addLast(new FrameBudget(Connections.of(channel).orElseThrow(), time));
    channel.writeInbound(Http2CodecUtil.connectionPrefaceBuf());
  }

  private static ByteBuf header(int length, byte type) {
    ByteBuf header = Unpooled.buffer();
    Http2CodecUtil.writeFrameHeader(header, length, type, new Http2Flags(), 1);
    return header;
  }

  /// A gRPC message begins with a byte for compression and four for its length. A length of 1,792
  /// to 2,047 bytes looks like the type of a GOAWAY frame.
  @Test
  void answersOfAnyLengthAreNoFlood() {
    for (int length = 0; length <= LONGEST; length++) {
      ByteBuf message =
          Unpooled.buffer().writeByte(0).writeInt(length).writeBytes(new byte[length]);
      channel.writeOutbound(header(message.readableBytes(), Http2FrameTypes.DATA), message);
    }
    assertThat(connections.cut()).isZero();
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void anEndForTheClientsFaultIsOneEvenInPieces() {
    ByteBuf goAway = header(2 * Integer.BYTES, Http2FrameTypes.GO_AWAY);
    goAway.writeInt(0).writeInt((int) Http2Error.ENHANCE_YOUR_CALM.code());
    ByteBuf data = header(3, Http2FrameTypes.DATA);

    channel.writeOutbound(
        data.readRetainedSlice(4), data, Unpooled.wrappedBuffer(new byte[3]), goAway);

    assertThat(connections.cut()).isOne();
  }
}
