package io.headgate.pool.core;

import io.headgate.pool.core.name.Kind;
import io.headgate.type.GpuQuantity;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// An expected refusal with its numbers. `field` is the path of the wrong field in the request,
/// such as `profiles[half].gpus`.
public sealed interface Denial {
  /// A field of the request is wrong in any state of the system.
  sealed interface WrongField extends Denial {
    String field();
  }

  /// The text cannot be an id of this kind.
  record InvalidName(String field, Kind kind, String value) implements WrongField {}

  /// Another resource of this kind has the name.
  record NameTaken(String field, Kind kind, String id) implements Denial {}

  /// One request names a resource twice.
  record Duplicate(String field, Kind kind, String id) implements WrongField {}

  /// The requested resource does not exist.
  record NotFound(Kind kind, String id) implements Denial {}

  /// The request refers to a resource that does not exist.
  ///
  /// @param nearest a similar existing id
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

  /// A number or duration outside of its range; all three in notation for people.
  record OutOfRange(String field, String value, String low, String high) implements WrongField {}

  /// Fields that exclude each other, or a field that lacks a required other.
  record Contradiction(String field, String explanation) implements WrongField {}

  /// Jobs of the profile could never run.
  record ProfileWithoutPool(String field, String profile) implements WrongField {}

  /// A tenant would exceed the bound for a kind.
  record TooMany(String field, Kind kind, int max) implements WrongField {}

  /// The draft is not complete enough to be provisioned.
  record Incomplete(WrongField missing) implements Denial {}

  /// There is no draft to provision.
  record NoDraft() implements Denial {}

  /// A concurrent change provisioned another version.
  record VersionChanged(long expected, long actual) implements Denial {}

  /// A concurrent change edited the draft.
  record DraftChanged(String expected, String actual) implements Denial {}

  /// Another version than the draft's base is in force, so the draft cannot be provisioned.
  ///
  /// @param base version that the draft was begun from
  record DraftOutdated(long base, long inForce) implements Denial {}

  /// Other callers edited the draft, whose edits the request would lose.
  ///
  /// @param others the last edit of each of them, newest first
  /// @param isByName whether the request may name them; otherwise it may carry the draft's etag
  record DraftOfOthers(List<Edit> others, boolean isByName) implements Denial {
    public DraftOfOthers {
      others = List.copyOf(others);
    }
  }

  /// Another change of supply and rights is prepared and not decided yet.
  ///
  /// @param id of that change
  /// @param preparation of it
  record ChangeInProgress(String id, Edit preparation) implements Denial {}

  /// The id is that of a prepared change with other content.
  record ChangeIdReused(String id) implements Denial {}

  /// A caller's act.
  ///
  /// @param by subject of the caller
  record Edit(Instant at, String by) {}

  /// The version does not exist.
  record VersionNotFound(long version, long newest) implements Denial {}

  /// The node reports something else than what the admin looked at.
  ///
  /// @param reason of the quarantine now
  record ClaimsChanged(String node, String reason) implements Denial {}

  /// The text is no key or value of a label.
  ///
  /// @param rule what to write
  record MalformedLabel(String field, String text, String rule) implements WrongField {}

  /// A provider makes the machines of the pool, so no admin moves one in or out.
  record ElasticPool(String pool) implements Denial {}

  /// A node may register only itself.
  record ForeignNode(String field, String asked, String own) implements Denial {}

  /// The node's token lacks the pool that it joined.
  record NoPoolInToken(String node) implements Denial {}
}
