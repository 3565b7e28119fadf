package io.headgate.kit.grpc;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import java.util.Collection;
import java.util.Map;
import java.util.function.Consumer;

/// Finds texts of a message that hold a NUL, however deep, keys of maps included.
final class NulSearch {
  private NulSearch() {}

  /// Tells `found` the path of each such text, as a client writes it: `spec.env["PATH"]`.
  ///
  /// @param path of the message in the request; empty for the request itself
  static void in(String path, Message message, Consumer<String> found) {
    for (Map.Entry<FieldDescriptor, Object> entry : message.getAllFields().entrySet()) {
      FieldDescriptor field = entry.getKey();
      JavaType type = field.getJavaType();
      if (type == JavaType.STRING || type == JavaType.MESSAGE) {
        String at = path.isEmpty() ? field.getName() : path + "." + field.getName();
        if (field.isMapField()) {
          map(at, field, (Collection<?>) entry.getValue(), found);
        } else if (field.isRepeated()) {
          int index = 0;
          for (Object each : (Collection<?>) entry.getValue()) {
            value(at + "[" + index + "]", each, found);
            index++;
          }
        } else {
          value(at, entry.getValue(), found);
        }
      }
    }
  }

  private static void map(
      String path, FieldDescriptor field, Collection<?> entries, Consumer<String> found) {
    FieldDescriptor keyField = field.getMessageType().findFieldByNumber(1);
    FieldDescriptor valueField = field.getMessageType().findFieldByNumber(2);
    for (Object each : entries) {
      Message entry = (Message) each;
      Object key = entry.getField(keyField);
      if (key instanceof String text && text.indexOf('\0') >= 0) {
        // The key itself would carry the NUL into the answer.
        found.accept(path);
      } else {
        String quote = key instanceof String ? "\"" : "";
        value(path + "[" + quote + key + quote + "]", entry.getField(valueField), found);
      }
    }
  }

  private static void value(String path, Object value, Consumer<String> found) {
    if (value instanceof String text) {
      if (text.indexOf('\0') >= 0) {
        found.accept(path);
      }
    } else if (value instanceof Message message) {
      in(path, message, found);
    }
  }
}
