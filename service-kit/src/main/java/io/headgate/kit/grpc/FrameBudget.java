package io.headgate.kit.grpc;

import io.headgate.kit.grpc.Connections.Connection;
import io.headgate.kit.time.TimeSource;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameTypes;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;

/// Ends an HTTP/2 connection that sends too many frames which cost the server work and the client
/// nothing. It reads the header of each frame before Netty does. An honest client sends such frames
/// mostly because it received others, so each frame of an answer allows one more.
///
/// | frame | units |
/// |---|---|
/// | PING, SETTINGS, PRIORITY, WINDOW_UPDATE, CONTINUATION, unknown ones | 1, and 1 for each 256 bytes |
/// | HEADERS on an [unproven][Connections] connection | 1 |
/// | RST_STREAM on an unproven connection | 9 |
/// | each frame but DATA on a [suspect][Connection#isSuspect] connection | 20 |
/// | DATA on such a connection | 1 |
/// | a stream that the server resets for the client's fault | 10 |
/// | a stream that the server refuses, as one too many | 2 |
///
/// Netty itself bounds RST_STREAM, empty DATA and small CONTINUATION frames. It ends the connection
/// with an error, which this class sees go out. For HTTP/1.1 it puts an [Http1Budget] behind the
/// decoder, which the server adds once it has seen the first bytes. The handler stands behind TLS
/// and before Netty's handler of HTTP/2. Confined to the event loop of its connection.
final class FrameBudget extends ChannelDuplexHandler {
  static final int MOST = 1000;
  private static final int PER_SECOND = 100;
  private static final int SUSPECT_UNITS = 20;
  private static final int CLIENTS_FAULT_UNITS = 10;
  private static final int UNPROVEN_RESET_UNITS = 9;
  private static final int REFUSED_UNITS = 2;
  private static final int BYTES_PER_UNIT = 256;

  private static final int HEADER = Http2CodecUtil.FRAME_HEADER_LENGTH;
  private static final int TYPE_AT = 3;
  private static final int GO_AWAY_BYTES = HEADER + 2 * Integer.BYTES;

  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  /// How the pipeline calls Armeria's decoder, whose class is its own.
  private static final String HTTP1_DECODER = "HttpServerCodec";

  private final Connection connection;
  private final TimeSource time;
  private final Allowance allowance;
  private final byte[] header = new byte[HEADER];
  private int inPreface;
  private int inHeader;
  private int payloadLeft;
  private final byte[] sentHeader = new byte[HEADER];
  private int inSentHeader;
  private int sentPayloadLeft;
  private boolean isKnown; // the protocol; until then no more than one request was read
  private boolean isCut;

  FrameBudget(Connection connection, TimeSource time) {
    this.connection = connection;
    this.time = time;
    this.allowance = new Allowance(MOST, PER_SECOND, time.monotonicNanos());
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof ByteBuf bytes && !isCut) {
      int at = bytes.readerIndex();
      if (!isHttp2()) {
        at = readPreface(bytes, at);
      }
      if (isHttp2() && !readFrames(bytes, at)) {
        cut(context);
      }
    }
    if (isCut) {
      ReferenceCountUtil.release(message);
    } else if (isKnown || !(message instanceof ByteBuf bytes)) {
      context.fireChannelRead(message);
    } else {
      readFirst(context, bytes);
    }
  }

  /// Passes so few bytes on that the server learns the protocol by them and reads at most one
  /// request, and the rest once the requests are counted.
  private void readFirst(ChannelHandlerContext context, ByteBuf bytes) {
    if (bytes.readableBytes() > PREFACE.length) {
      context.fireChannelRead(bytes.readRetainedSlice(PREFACE.length));
      countRequests(context);
      context.fireChannelRead(bytes);
    } else {
      context.fireChannelRead(bytes);
      countRequests(context);
    }
  }

  private void countRequests(ChannelHandlerContext context) {
    isKnown = isHttp2();
    for (String handler : context.pipeline().names()) {
      if (handler.startsWith(HTTP1_DECODER)) {
        context.pipeline().addAfter(handler, null, new Http1Budget(connection, time));
        isKnown = true;
        return;
      }
    }
  }

  private boolean isHttp2() {
    return inPreface == PREFACE.length;
  }

  /// Looks for the preface of HTTP/2: at the beginning, or after the request that asks for an
  /// upgrade from HTTP/1.
  ///
  /// @return where frames begin, or the end
  private int readPreface(ByteBuf bytes, int from) {
    int at = from;
    while (at < bytes.writerIndex() && !isHttp2()) {
      byte next = bytes.getByte(at++);
      if (next == PREFACE[inPreface]) {
        inPreface++;
      } else {
        inPreface = next == PREFACE[0] ? 1 : 0;
      }
    }
    return at;
  }

  /// Whether the frames are within the budget.
  private boolean readFrames(ByteBuf bytes, int from) {
    int at = from;
    int end = bytes.writerIndex();
    while (at < end) {
      int skipped = Math.min(payloadLeft, end - at);
      at += skipped;
      payloadLeft -= skipped;
      while (payloadLeft == 0 && inHeader < HEADER && at < end) {
        header[inHeader++] = bytes.getByte(at++);
      }
      if (inHeader == HEADER) {
        inHeader = 0;
        payloadLeft = (header[0] & 0xff) << 16 | (header[1] & 0xff) << 8 | (header[2] & 0xff);
        int units = units(header[TYPE_AT], payloadLeft);
        if (units > 0 && !allowance.use(units, time.monotonicNanos())) {
          return false;
        }
      }
    }
    return true;
  }

  private int units(byte type, int length) {
    int suspect = connection.isSuspect(time.monotonicNanos()) ? SUSPECT_UNITS : 0;
    return switch (type) {
      // Flow control bounds its bytes, and Netty empty ones.
      case Http2FrameTypes.DATA -> Math.min(suspect, 1);
      case Http2FrameTypes.RST_STREAM ->
          Math.max(suspect, connection.isProven() ? 0 : UNPROVEN_RESET_UNITS);
      case Http2FrameTypes.HEADERS -> Math.max(suspect, connection.isProven() ? 0 : 1);
      default -> Math.max(suspect, 1) + length / BYTES_PER_UNIT;
    };
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    boolean isOver = isHttp2() && message instanceof ByteBuf bytes && !isCut && !isWithin(bytes);
    var _ = context.write(message, promise);
    if (isOver) {
      // Not within this write, whose caller is in the middle of other things.
      context.executor().execute(() -> cut(context));
    }
  }

  /// Whether the frames that the server sends leave the connection within its budget. Netty writes
  /// the header of a frame apart from its payload, whose bytes could pass for a header.
  private boolean isWithin(ByteBuf bytes) {
    boolean within = true;
    int at = bytes.readerIndex();
    int end = bytes.writerIndex();
    while (at < end) {
      int skipped = Math.min(sentPayloadLeft, end - at);
      at += skipped;
      sentPayloadLeft -= skipped;
      while (sentPayloadLeft == 0 && inSentHeader < HEADER && at < end) {
        sentHeader[inSentHeader++] = bytes.getByte(at++);
      }
      if (inSentHeader == HEADER) {
        inSentHeader = 0;
        sentPayloadLeft =
            (sentHeader[0] & 0xff) << 16 | (sentHeader[1] & 0xff) << 8 | (sentHeader[2] & 0xff);
        within &= isWithin(sentHeader[TYPE_AT], bytes, at);
      }
    }
    return within;
  }

  /// @param at where the frame's payload begins, if it is there at all
  private boolean isWithin(byte type, ByteBuf bytes, int at) {
    int there = bytes.writerIndex() - at;
    switch (type) {
      case Http2FrameTypes.DATA, Http2FrameTypes.HEADERS -> allowance.giveBack(1);
      case Http2FrameTypes.RST_STREAM -> {
        if (there >= Integer.BYTES) {
          return allowance.use(resetUnits(bytes.getInt(at)), time.monotonicNanos());
        }
      }
      case Http2FrameTypes.GO_AWAY -> {
        if (there >= 2 * Integer.BYTES
            && bytes.getInt(at + Integer.BYTES) != Http2Error.NO_ERROR.code()) {
          connection.flooded();
        }
      }
      default -> {
        // Answers to PING and SETTINGS allow nothing.
      }
    }
    return true;
  }

  private static int resetUnits(int code) {
    Http2Error error = Http2Error.valueOf(code);
    return switch (error) {
      case PROTOCOL_ERROR, FLOW_CONTROL_ERROR, STREAM_CLOSED, FRAME_SIZE_ERROR, COMPRESSION_ERROR ->
          CLIENTS_FAULT_UNITS;
      case REFUSED_STREAM -> REFUSED_UNITS;
      case null, default -> 0;
    };
  }

  private void cut(ChannelHandlerContext context) {
    if (isCut) {
      return;
    }
    isCut = true;
    connection.flooded();
    ByteBuf goAway = context.alloc().buffer(GO_AWAY_BYTES);
    Http2CodecUtil.writeFrameHeader(
        goAway, 2 * Integer.BYTES, Http2FrameTypes.GO_AWAY, new Http2Flags(), 0);
    goAway.writeInt(Integer.MAX_VALUE);
    goAway.writeInt((int) Http2Error.ENHANCE_YOUR_CALM.code());
    var _ = context.writeAndFlush(goAway);
    var _ = context.close();
  }
}
