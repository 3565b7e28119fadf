package io.headgate.pool.grpc;

import com.google.protobuf.FieldMask;
import com.google.protobuf.Message;
import com.google.protobuf.util.FieldMaskUtil;
import io.headgate.kit.failure.Refusal;

/// Changes only the fields that a mask names.
final class FieldMasks {
  private static final String EVERYTHING = "*";
  private static final FieldMaskUtil.MergeOptions REPLACE =
      new FieldMaskUtil.MergeOptions()
          .setReplaceMessageFields(true)
          .setReplaceRepeatedFields(true)
          .setReplacePrimitiveFields(true);

  private FieldMasks() {}

  /// Refuses a mask with paths that `message` does not have or that nobody may change.
  ///
  /// @param message any of the resource's type
  static void require(FieldMask mask, Message message) {
    for (int i = 0; i < mask.getPathsCount(); i++) {
      String path = mask.getPaths(i);
      if (path.equals(EVERYTHING) && mask.getPathsCount() == 1) {
        return;
      }
      if (!FieldMaskUtil.isValid(message.getDescriptorForType(), path)) {
        throw invalid(i, "'" + path + "' is no field: see the contract for their names");
      }
      if (path.equals("name")) {
        throw invalid(i, "a name cannot be changed: create a new one and delete the old");
      }
    }
  }

  /// `current` with the fields of `mask` as in `update`; all fields if the mask is empty.
  static <M extends Message> M merge(FieldMask mask, M update, M current) {
    if (mask.getPathsCount() == 0 || mask.getPaths(0).equals(EVERYTHING)) {
      return update;
    }
    Message.Builder merged = current.toBuilder();
    FieldMaskUtil.merge(mask, update, merged, REPLACE);
    @SuppressWarnings("unchecked") // A message's builder builds its type.
    M built = (M) merged.build();
    return built;
  }

  private static RuntimeException invalid(int index, String description) {
    return Refusal.invalidField(
            "INVALID_FIELD_MASK", "update_mask.paths[" + index + "]", description)
        .exception();
  }
}
