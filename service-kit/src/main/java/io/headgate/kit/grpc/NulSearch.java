package io.headgate.kit.grpc;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;

/// Finds texts that hold a NUL at any depth of a message, keys of maps included. It builds paths
/// only for matches, which are rare.
final class NulSearch {
  /// Fields that are texts, or messages that may hold texts, by message type.
  private static final ConcurrentMap<Descriptor, List<FieldDescriptor>> FIELDS =
      new ConcurrentHashMap<>();

  private NulSearch() {}

  /// Passes the path of each such text to `found`, in the notation of clients: `spec.env["PATH"]`.
  static void in(Message message, Consumer<String> found) {
    for (FieldDescriptor field :
        FIELDS.computeIfAbsent(message.getDescriptorForType(), NulSearch::fields)) {
      Consumer<String> inField = rest -> found.accept(path(field.getName(), rest));
      if (field.isRepeated()) {
        repeated(message, field, inField);
      } else if (field.getJavaType() == JavaType.STRING || message.hasField(field)) {
        value(message.getField(field), inField);
      }
    }
  }

  private static List<FieldDescriptor> fields(Descriptor message) {
    return message.getFields().stream()
        .filter(field ->
            field.getJavaType() == JavaType.STRING || field.getJavaType() == JavaType.MESSAGE)
        .toList();
  }

  private static void repeated(Message message, FieldDescriptor field, Consumer<String> found) {
    for (int i = 0; i < message.getRepeatedFieldCount(field); i++) {
      Object each = message.getRepeatedField(field, i);
      if (field.isMapField()) {
        entry((Message) each, found);
      } else {
        int index = i;
        value(each, rest -> found.accept(path("[" + index + "]", rest)));
      }
    }
  }

  private static void entry(Message entry, Consumer<String> found) {
    Object key = entry.getField(entry.getDescriptorForType().findFieldByNumber(1));
    Object value = entry.getField(entry.getDescriptorForType().findFieldByNumber(2));
    if (key instanceof String text && text.indexOf('\0') >= 0) {
      // The key itself would carry the NUL into the answer.
      found.accept("");
    } else {
      String quote = key instanceof String ? "\"" : "";
      value(value, rest -> found.accept(path("[" + quote + key + quote + "]", rest)));
    }
  }

  private static void value(Object value, Consumer<String> found) {
    if (value instanceof String text) {
      if (text.indexOf('\0') >= 0) {
        found.accept("");
      }
    } else if (value instanceof Message message) {
      in(message, found);
    }
  }

  /// @param rest below `name`; empty: `name` itself
  static String path(String name, String rest) {
    return rest.isEmpty() || rest.startsWith("[") || name.isEmpty()
        ? name + rest
        : name + "." + rest;
  }
}
