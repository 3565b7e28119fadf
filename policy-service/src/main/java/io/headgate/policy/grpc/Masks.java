package io.headgate.policy.grpc;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.FieldMask;
import com.google.protobuf.Message;
import io.headgate.kit.failure.Refusal;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Applies update masks: top-level fields that may change, all of them if the mask names none.
final class Masks {
  private Masks() {}

  /// The fields that the request wants to change.
  ///
  /// @param writable fields that may change
  static Set<String> fields(FieldMask mask, List<String> writable) {
    if (mask.getPathsCount() == 0) {
      return Set.copyOf(writable);
    }
    for (String path : mask.getPathsList()) {
      if (!writable.contains(path)) {
        throw Refusal.invalidField(
                "INVALID_FIELD",
                "update_mask",
                "'" + path + "' is not a field that can change: name some of " + writable)
            .exception();
      }
    }
    return new HashSet<>(mask.getPathsList());
  }

  /// Sets the named fields of `target` to those of `source`, also where they are absent there.
  static void merge(Message.Builder target, Message source, Set<String> fields) {
    for (String name : fields) {
      FieldDescriptor field = source.getDescriptorForType().findFieldByName(name);
      boolean absent = field.hasPresence() && !source.hasField(field);
      if (absent) {
        target.clearField(field);
      } else {
        target.setField(field, source.getField(field));
      }
    }
  }
}
