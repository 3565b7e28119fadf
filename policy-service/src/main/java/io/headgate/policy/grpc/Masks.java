package io.headgate.policy.grpc;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.FieldMask;
import com.google.protobuf.Message;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.grpc.MessageRules;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Applies update masks: top-level fields that may change, all of them if the mask names none or
/// says `*`.
final class Masks {
  private static final String EVERYTHING = "*";

  private final MessageRules rules;

  /// @param rules to which what a resource becomes is held
  Masks(MessageRules rules) {
    this.rules = rules;
  }

  /// The fields that the request wants to change.
  ///
  /// @param writable fields that may change
  static Set<String> fields(FieldMask mask, List<String> writable) {
    if (mask.getPathsCount() == 0 || mask.getPathsList().equals(List.of(EVERYTHING))) {
      return Set.copyOf(writable);
    }
    for (int i = 0; i < mask.getPathsCount(); i++) {
      String path = mask.getPaths(i);
      if (!writable.contains(path)) {
        throw Refusal.invalidField(
                "INVALID_FIELD_MASK",
                "update_mask.paths[" + i + "]",
                "'" + path + "' is not a field that can change: name some of " + writable)
            .exception();
      }
    }
    return new HashSet<>(mask.getPathsList());
  }

  /// What `current` becomes if the named fields are as in `wanted`, also where they are absent
  /// there.
  ///
  /// @param field of the request that holds `wanted`
  <M extends Message> M merged(String field, M current, M wanted, Set<String> fields) {
    Message.Builder next = current.toBuilder();
    for (String name : fields) {
      FieldDescriptor each = wanted.getDescriptorForType().findFieldByName(name);
      if (each.hasPresence() && !wanted.hasField(each)) {
        next.clearField(each);
      } else {
        next.setField(each, wanted.getField(each));
      }
    }
    @SuppressWarnings("unchecked") // A message's builder builds its type.
    M merged = (M) next.build();
    rules.require(field, merged);
    return merged;
  }
}
