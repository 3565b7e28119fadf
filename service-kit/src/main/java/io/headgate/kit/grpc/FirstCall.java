package io.headgate.kit.grpc;

import io.headgate.kit.auth.AuthInterceptor;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reads a new connection until the headers of its first call, in HTTP/1.1 or HTTP/2. It finds the
/// token there and judges nothing: the server reads the same bytes again.
///
/// It gives up, as on a call without a token, where the client says a frame of a stream before its
/// first headers, or more than [#MOST_BYTES]. Frames of the connection may come before, and those
/// of unknown types. Not thread-safe.
final class FirstCall {
  static final int MOST_BYTES = 16 << 10;

  /// The longest headers that a server reads.
  static final int MOST_HEADERS = 8 << 10;

  private static final int FRAME_HEADER = Http2CodecUtil.FRAME_HEADER_LENGTH;
  private static final int TYPE_AT = 3;
  private static final int FLAGS_AT = 4;
  private static final int STREAM_AT = 5;
  private static final int BYTES_OF_PRIORITY = 5;
  private static final ByteBuf PREFACE = Http2CodecUtil.connectionPrefaceBuf();
  private static final ByteBuf END_OF_HEADERS =
      Unpooled.unreleasableBuffer(
          Unpooled.copiedBuffer("\r\n\r\n", StandardCharsets.US_ASCII).asReadOnly());

  // On the heap, so that it needs no release.
  private final ByteBuf said = Unpooled.buffer();
  private int at; // the first byte that was not understood yet
  private boolean isHttp2;
  private Optional<String> token = Optional.empty();

  /// Reads what the client says next, and leaves `bytes` as they are.
  ///
  /// @return whether it needs no more, because the headers are complete or it gives up
  boolean hear(ByteBuf bytes) {
    int taken = Math.min(bytes.readableBytes(), MOST_BYTES - said.writerIndex());
    said.writeBytes(bytes, bytes.readerIndex(), taken);
    return (isPreface() ? readFrames() : readRequest()) || said.writerIndex() == MOST_BYTES;
  }

  /// Whether the client has said the preface of HTTP/2.
  boolean isHttp2() {
    return isHttp2;
  }

  /// The token of the first call; empty before its headers are complete.
  Optional<String> token() {
    return token;
  }

  /// Whether it has begun with the preface, as far as it has come.
  private boolean isPreface() {
    int length = Math.min(said.writerIndex(), PREFACE.readableBytes());
    if (!ByteBufUtil.equals(said, 0, PREFACE, PREFACE.readerIndex(), length)) {
      return false;
    }
    if (!isHttp2 && length == PREFACE.readableBytes()) {
      isHttp2 = true;
      at = length;
    }
    return true;
  }

  private boolean readFrames() {
    while (isHttp2 && said.writerIndex() - at >= FRAME_HEADER) {
      int payload = at + FRAME_HEADER;
      int end = payload + said.getUnsignedMedium(at);
      switch (said.getByte(at + TYPE_AT)) {
        case Http2FrameTypes.HEADERS -> {
          if (end <= said.writerIndex()) {
            token = token(said.slice(payload, end - payload));
            return true;
          }
        }
        case Http2FrameTypes.DATA,
            Http2FrameTypes.RST_STREAM,
            Http2FrameTypes.PUSH_PROMISE,
            Http2FrameTypes.GO_AWAY,
            Http2FrameTypes.CONTINUATION -> {
          return true;
        }
        default -> {
          // Before an honest client's first call, too. The server answers a PING afterwards.
        }
      }
      if (end > said.writerIndex()) {
        return false;
      }
      at = end;
    }
    return false;
  }

  private Optional<String> token(ByteBuf headers) {
    Http2Flags flags = new Http2Flags(said.getUnsignedByte(at + FLAGS_AT));
    int padding = flags.paddingPresent() && headers.isReadable() ? headers.readUnsignedByte() : 0;
    int priority = flags.priorityPresent() ? BYTES_OF_PRIORITY : 0;
    int length = headers.readableBytes() - priority - padding;
    if (length <= 0 || !flags.endOfHeaders()) {
      return Optional.empty();
    }
    try {
      @Nullable CharSequence value =
          new DefaultHttp2HeadersDecoder(false, MOST_HEADERS)
              .decodeHeaders(
                  said.getInt(at + STREAM_AT), headers.skipBytes(priority).readSlice(length))
              .get(HttpHeaderNames.AUTHORIZATION);
      return value == null ? Optional.empty() : AuthInterceptor.token(value.toString());
    } catch (Http2Exception e) {
      // The server says so to the client.
      return Optional.empty();
    }
  }

  private boolean readRequest() {
    int from = Math.max(0, at - END_OF_HEADERS.readableBytes());
    int end = ByteBufUtil.indexOf(END_OF_HEADERS, said.slice(from, said.writerIndex() - from));
    at = said.writerIndex();
    if (end < 0) {
      return false;
    }
    token =
        said.toString(0, from + end, StandardCharsets.US_ASCII)
            .lines()
            .map(line -> line.split(":", 2))
            .filter(line ->
                line.length == 2
                    && line[0].equalsIgnoreCase(HttpHeaderNames.AUTHORIZATION.toString()))
            .findFirst()
            .flatMap(line -> AuthInterceptor.token(line[1].strip()));
    return true;
  }
}
