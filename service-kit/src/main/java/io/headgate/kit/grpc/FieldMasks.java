package io.headgate.kit.grpc;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.FieldMask;
import com.google.protobuf.Message;
import com.google.protobuf.util.FieldMaskUtil;
import io.headgate.kit.failure.Refusal;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Applies update masks. A mask without paths, or with the one path `*`, names all writable fields.
public final class FieldMasks {
  private static final String EVERYTHING = "*";

  private FieldMasks() {}

  /// The top-level fields of the type without one of them.
  public static List<String> allBut(String fixed, Descriptor type) {
    return type.getFields().stream()
        .map(FieldDescriptor::getName)
        .filter(name -> !name.equals(fixed))
        .toList();
  }

  /// The paths that the mask names.
  ///
  /// @param resource any message of the resource's type
  /// @param writable top-level fields that an update may change; paths may lead into them
  /// @throws io.headgate.kit.failure.RefusalException INVALID_ARGUMENT with reason
  ///   INVALID_FIELD_MASK if a path names no such field
  public static Set<String> paths(FieldMask mask, Message resource, List<String> writable) {
    if (mask.getPathsCount() == 0 || mask.getPathsList().equals(List.of(EVERYTHING))) {
      return Set.copyOf(writable);
    }
    for (int i = 0; i < mask.getPathsCount(); i++) {
      String path = mask.getPaths(i);
      String top = path.split("\\.", 2)[0];
      if (!writable.contains(top)
          || !FieldMaskUtil.isValid(resource.getDescriptorForType(), path)) {
        throw Refusal.invalidField(
                "INVALID_FIELD_MASK",
                "update_mask.paths[" + i + "]",
                "'" + path + "' cannot be changed: name some of " + writable)
            .exception();
      }
    }
    return new HashSet<>(mask.getPathsList());
  }

  /// `current` with the fields at `paths` as in `wanted`; a field that `wanted` lacks is cleared.
  public static <M extends Message> M merge(M current, M wanted, Set<String> paths) {
    Message.Builder next = current.toBuilder();
    for (String path : paths) {
      copy(next, wanted, path);
    }
    @SuppressWarnings("unchecked") // A message's builder builds its type.
    M merged = (M) next.build();
    return merged;
  }

  private static void copy(Message.Builder next, Message wanted, String path) {
    String[] parts = path.split("\\.", 2);
    FieldDescriptor field = wanted.getDescriptorForType().findFieldByName(parts[0]);
    if (parts.length == 1) {
      if (field.hasPresence() && !wanted.hasField(field)) {
        next.clearField(field);
      } else {
        next.setField(field, wanted.getField(field));
      }
    } else if (next.hasField(field) || wanted.hasField(field)) {
      copy(next.getFieldBuilder(field), (Message) wanted.getField(field), parts[1]);
    }
  }
}
