package io.headgate.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import io.headgate.proto.agent.v1.ConnectRequest;
import io.headgate.proto.agent.v1.ConnectResponse;
import io.headgate.proto.scheduler.v1.JobSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Messages and stored rows of protocol 1 keep their meaning in this version.
///
/// The files cover an agent's messages in both directions and the specification in a job's row.
/// They set every field that existed then.
///
/// A new field changes nothing here. `-Dgolden=write` writes the files of a protocol version that
/// has none yet.
final class MessageBytesTest {
  private static final Path FILES = Path.of("src/test/resources/protocol-1");

  /// Deeper than this nothing is set.
  private static final int DEPTH = 6;

  static Stream<Message> messages() {
    return Stream.of(
        ConnectRequest.getDefaultInstance(),
        ConnectResponse.getDefaultInstance(),
        JobSpec.getDefaultInstance());
  }

  @ParameterizedTest
  @MethodSource("messages")
  void areReadAsTheyWereMeant(Message type) throws IOException {
    Path file = FILES.resolve(type.getDescriptorForType().getName() + ".txt");
    if ("write".equals(System.getProperty("golden"))) {
      Files.createDirectories(FILES);
      Files.writeString(file, write(type.getDescriptorForType()));
    }
    StringBuilder read = new StringBuilder();
    for (String line : Files.readAllLines(file)) {
      if (line.startsWith("# ")) {
        read.append(text(type, HexFormat.of().parseHex(line.substring(2))));
      }
    }
    assertThat(read.toString()).isEqualTo(Files.readString(file));
  }

  /// The bytes, and below them their meaning. Unknown fields show as numbers.
  private static String text(Message type, byte[] bytes) throws InvalidProtocolBufferException {
    Message message = type.getParserForType().parseFrom(bytes);
    assertThat(message.toByteArray()).as("said again").isEqualTo(bytes);
    return "# %s%n%s%n"
        .formatted(
            HexFormat.of().formatHex(bytes), TextFormat.printer().printToString(message).strip());
  }

  /// One message for each alternative.
  private static String write(Descriptor type) throws InvalidProtocolBufferException {
    List<FieldDescriptor> alternatives =
        type.getRealOneofs().isEmpty() ? List.of() : type.getRealOneofs().getFirst().getFields();
    StringBuilder file = new StringBuilder();
    for (FieldDescriptor each : alternatives) {
      file.append(
          text(
              DynamicMessage.getDefaultInstance(type),
              DynamicMessage.newBuilder(type)
                  .setField(each, value(each, DEPTH))
                  .build()
                  .toByteArray()));
    }
    return alternatives.isEmpty()
        ? text(DynamicMessage.getDefaultInstance(type), full(type, DEPTH).toByteArray())
        : file.toString();
  }

  private static Message full(Descriptor type, int depth) {
    DynamicMessage.Builder message = DynamicMessage.newBuilder(type);
    for (FieldDescriptor field : type.getFields()) {
      if (depth > 0 && field.isRepeated()) {
        message.addRepeatedField(field, value(field, depth));
      } else if (depth > 0) {
        message.setField(field, value(field, depth));
      }
    }
    return message.build();
  }

  private static Object value(FieldDescriptor field, int depth) {
    return switch (field.getJavaType()) {
      case INT -> field.getNumber();
      case LONG -> (long) field.getNumber();
      case FLOAT -> field.getNumber() + 0.5f;
      case DOUBLE -> field.getNumber() + 0.5;
      case BOOLEAN -> true;
      case STRING -> field.getName();
      case BYTE_STRING -> ByteString.copyFromUtf8(field.getName());
      case ENUM -> field.getEnumType().getValues().getLast();
      case MESSAGE -> full(field.getMessageType(), depth - 1);
    };
  }
}
