package io.headgate.pool.core;

import io.headgate.pool.core.name.Kind;
import io.headgate.type.GpuQuantity;
import java.util.Optional;

/// Why something is refused: an expected answer with its numbers. `field` is the path in the
/// request of what is wrong, such as `profiles[half].gpus`.
public sealed interface Denial {
  /// A field of the request is wrong, whatever the state of the system.
  sealed interface WrongField extends Denial {
    String field();
  }

  /// The text cannot be an id of this kind.
  record InvalidName(String field, Kind kind, String value) implements WrongField {}

  /// Something of this kind already has the name.
  record NameTaken(String field, Kind kind, String id) implements Denial {}

  /// One request names the same thing twice.
  record Duplicate(String field, Kind kind, String id) implements WrongField {}

  /// What the request is about does not exist.
  record NotFound(Kind kind, String id) implements Denial {}

  /// The request refers to something that does not exist.
  ///
  /// @param nearest an existing id that may have been meant
  record Unknown(String field, Kind kind, String id, Optional<String> nearest)
      implements WrongField {}

  /// The text is not a GPU quantity.
  record MalformedQuantity(String field, String text) implements WrongField {}

  /// The number lies between two neighbouring quantities.
  record InexactQuantity(String field, String text, GpuQuantity below, GpuQuantity above)
      implements WrongField {}

  /// A worker gets a part of one GPU or whole GPUs, never one and a half.
  record FractionAboveOne(String field, GpuQuantity gpus) implements WrongField {}

  /// The text is not a price.
  record MalformedPrice(String field, String text) implements WrongField {}

  /// No currency has the code.
  record UnknownCurrency(String field, String code) implements WrongField {}

  /// The text holds characters that cannot be shown, or is too long.
  record UnfitText(String field, int length, int maxLength) implements WrongField {}

  /// A number or a length of time outside of its range; all three as people write them.
  record OutOfRange(String field, String value, String low, String high) implements WrongField {}

  /// Fields that cannot both be meant, or of which one needs the other.
  record Contradiction(String field, String explanation) implements WrongField {}

  /// Jobs of the profile could never run.
  record ProfileWithoutPool(String field, String profile) implements WrongField {}

  /// A tenant would have more of a kind than is allowed.
  record TooMany(String field, Kind kind, int max) implements WrongField {}

  /// The draft cannot be put in force as it is.
  record Incomplete(WrongField missing) implements Denial {}

  /// There is nothing to provision.
  record NoDraft() implements Denial {}

  /// Somebody provisioned another version in between.
  record VersionChanged(long expected, long actual) implements Denial {}

  /// Somebody edited the draft in between.
  record DraftChanged(String expected, String actual) implements Denial {}

  /// There is no such version.
  record VersionNotFound(long version, long newest) implements Denial {}

  /// A node speaks only for itself.
  record ForeignNode(String field, String asked, String own) implements Denial {}

  /// The node's token does not say which pool it joined.
  record NoPoolInToken(String node) implements Denial {}
}
