package io.headgate.kit.watch;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.ArrayList;
import java.util.List;

/// Splits one step of a watch into messages of bounded size, and joins them again. Elements of
/// repeated fields are distributed over the parts in order; other fields are in every part. An
/// element that is too large for one part is split in the same way, into consecutive pieces with
/// the same name. The name is the string in field 1.
///
/// ```
/// {version: 7, nodes: [a, b, c], deleted: [d]}  ->  {version: 7, nodes: [a, b]}
///                                                   {version: 7, nodes: [c], deleted: [d]}
/// ```
public final class WatchParts {
  /// Bytes of a part: well below the limit of clients, and small compared with buffers.
  public static final int BOUND = 256 << 10;

  /// Bytes of an element's tag and length in the surrounding message.
  private static final int OVERHEAD = 10;

  private final int bound;
  private final List<Message.Builder> parts = new ArrayList<>();
  private final Message frame;
  private final int frameBytes;
  private int bytes;

  private WatchParts(Message frame, int bound) {
    this.frame = frame;
    this.frameBytes = frame.getSerializedSize();
    // A piece carries at least as many new bytes as it repeats.
    this.bound = Math.max(bound, 2 * frameBytes);
  }

  /// Splits a step.
  ///
  /// @param whole the step, with the field `last` set; only the last part keeps it
  /// @param bound in bytes; only a part with an indivisible value exceeds it
  /// @param last number of the boolean field that marks the last part
  /// @return at least one part
  @SuppressWarnings("unchecked") // Parts are made by the builder of the whole.
  public static <M extends Message> List<M> split(M whole, int bound, int last) {
    List<Message> parts = new ArrayList<>(pieces(whole, bound));
    FieldDescriptor mark = whole.getDescriptorForType().findFieldByNumber(last);
    parts
        .subList(0, parts.size() - 1)
        .replaceAll(part -> part.toBuilder().clearField(mark).build());
    return (List<M>) parts;
  }

  /// Joins the parts of one [#split].
  ///
  /// @param parts in order, at least one
  @SuppressWarnings("unchecked") // The builder belongs to the first part.
  public static <M extends Message> M join(List<M> parts) {
    if (parts.size() == 1) {
      return parts.getFirst();
    }
    Message.Builder whole = parts.getFirst().newBuilderForType();
    parts.forEach(part -> append(whole, part));
    return (M) whole.build();
  }

  private static List<Message> pieces(Message whole, int bound) {
    if (whole.getSerializedSize() <= bound) {
      return List.of(whole);
    }
    Message.Builder frame = whole.newBuilderForType();
    whole
        .getAllFields()
        .forEach((field, value) -> {
          if (!field.isRepeated()) {
            frame.setField(field, value);
          }
        });
    WatchParts parts = new WatchParts(frame.build(), bound);
    whole
        .getAllFields()
        .forEach((field, value) -> {
          if (field.isRepeated()) {
            ((List<?>) value).forEach(element -> parts.add(field, element));
          }
        });
    return parts.built();
  }

  private void add(FieldDescriptor field, Object element) {
    int room = Math.max(1, bound - frameBytes - OVERHEAD);
    if (element instanceof Message message && isNamed(message)) {
      pieces(message, room).forEach(piece -> put(field, piece, piece.getSerializedSize()));
    } else {
      put(field, element, size(element));
    }
  }

  private void put(FieldDescriptor field, Object element, int size) {
    if (parts.isEmpty() || bytes + size + OVERHEAD > bound) {
      parts.add(frame.toBuilder());
      bytes = frameBytes;
    }
    parts.getLast().addRepeatedField(field, element);
    bytes += size + OVERHEAD;
  }

  private List<Message> built() {
    return parts.isEmpty() ? List.of(frame) : parts.stream().map(Message.Builder::build).toList();
  }

  private static int size(Object element) {
    return switch (element) {
      case Message message -> message.getSerializedSize();
      case String text -> CodedOutputStream.computeStringSizeNoTag(text);
      case ByteString content -> content.size();
      default -> OVERHEAD;
    };
  }

  private static void append(Message.Builder whole, Message part) {
    part.getAllFields()
        .forEach((field, value) -> {
          if (field.isRepeated()) {
            ((List<?>) value).forEach(element -> append(whole, field, element));
          } else {
            whole.setField(field, value);
          }
        });
  }

  private static void append(Message.Builder whole, FieldDescriptor field, Object element) {
    int count = whole.getRepeatedFieldCount(field);
    if (count > 0
        && element instanceof Message piece
        && isNamed(piece)
        && whole.getRepeatedField(field, count - 1) instanceof Message before
        && name(before).equals(name(piece))) {
      Message.Builder grown = before.toBuilder();
      append(grown, piece);
      whole.setRepeatedField(field, count - 1, grown.build());
    } else {
      whole.addRepeatedField(field, element);
    }
  }

  private static boolean isNamed(Message element) {
    FieldDescriptor field = element.getDescriptorForType().findFieldByNumber(1);
    return field != null
        && !element.getDescriptorForType().getOptions().getMapEntry()
        && !field.isRepeated()
        && field.getJavaType() == FieldDescriptor.JavaType.STRING;
  }

  private static Object name(Message element) {
    return element.getField(element.getDescriptorForType().findFieldByNumber(1));
  }
}
