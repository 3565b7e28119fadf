package io.headgate.kit.grpc;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import java.io.IOException;
import java.io.UncheckedIOException;

/// The bytes by which repeated requests are recognised, and the bytes of stored answers.
public final class MessageBytes {
  private MessageBytes() {}

  /// Equal bytes for equal messages, whatever the order of their maps.
  public static byte[] deterministic(Message message) {
    byte[] bytes = new byte[message.getSerializedSize()];
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    out.useDeterministicSerialization();
    try {
      message.writeTo(out);
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes;
  }

  /// The message in a stored answer.
  public static <M> M stored(Parser<M> parser, byte[] answer) {
    try {
      return parser.parseFrom(answer);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a stored answer cannot be read", e);
    }
  }
}
