package io.headgate.pool.grpc;

import io.headgate.kit.failure.Refusal;
import io.headgate.pool.core.Denial;
import io.headgate.type.GpuQuantity;
import io.headgate.type.NameRule;

/// Puts the fault of a field and the accepted form into words.
final class WrongFields {
  private WrongFields() {}

  static Refusal of(Denial.WrongField wrong) {
    return switch (wrong) {
      case Denial.InvalidName(var field, var kind, var value) ->
          field(
              "INVALID_NAME",
              field,
              "'%s' is no id of a %s: use %s".formatted(value, kind.word(), NameRule.WORDS));
      case Denial.Duplicate(var field, var kind, var id) ->
          field(
              "DUPLICATE",
              field,
              "%s '%s' is there twice: name it once".formatted(kind.word(), id));
      case Denial.Unknown unknown -> unknown(unknown);
      case Denial.MalformedQuantity(var field, var text) ->
          field(
              "MALFORMED_QUANTITY",
              field,
              "'%s' is not a GPU quantity: write 4, 0.5 or 1/7".formatted(text));
      case Denial.InexactQuantity(var field, var text, var below, var above) ->
          field(
                  "INEXACT_QUANTITY",
                  field,
                  "'%s' cannot be represented exactly: the nearest quantities are %s and %s"
                      .formatted(text, below, above))
              .withMetadata("below", below)
              .withMetadata("above", above);
      case Denial.FractionAboveOne(var field, var gpus) ->
          field(
              "FRACTION_ABOVE_ONE",
              field,
              "%s GPUs: a worker gets a part of one GPU or whole GPUs; ask for %d or %d"
                  .formatted(
                      gpus,
                      Math.floorDiv(gpus.units(), GpuQuantity.UNITS_PER_GPU),
                      Math.ceilDiv(gpus.units(), GpuQuantity.UNITS_PER_GPU)));
      case Denial.MalformedPrice(var field, var text) ->
          field(
              "MALFORMED_PRICE",
              field,
              "'%s' is not a price: write 1.20, with at most six decimals".formatted(text));
      case Denial.UnknownCurrency(var field, var code) ->
          field(
              "UNKNOWN_CURRENCY",
              field,
              "'%s' is no ISO 4217 code: write USD or EUR".formatted(code));
      case Denial.UnfitText(var field, var length, var maxLength) ->
          field(
              "UNFIT_TEXT",
              field,
              "a text of %d characters: at most %d are allowed, and no control characters"
                  .formatted(length, maxLength));
      case Denial.OutOfRange(var field, var value, var low, var high) ->
          field("OUT_OF_RANGE", field, "%s is not from %s to %s".formatted(value, low, high));
      case Denial.Contradiction(var field, var explanation) ->
          field("CONTRADICTION", field, explanation);
      case Denial.ProfileWithoutPool(var field, var profile) ->
          field(
                  "PROFILE_WITHOUT_POOL",
                  field,
                  ("profile '%s' has no pool, so its jobs could never run: name the pools that they"
                          + " may run in")
                      .formatted(profile))
              .withMetadata("profile", profile);
      case Denial.MalformedLabel(var field, var text, var rule) ->
          field("MALFORMED_LABEL", field, "'%s' is no label: %s".formatted(text, rule));
      case Denial.TooMany(var field, var kind, var max) ->
          field("TOO_MANY", field, "at most %d %ss are allowed".formatted(max, kind.word()));
    };
  }

  private static Refusal unknown(Denial.Unknown unknown) {
    String meant =
        unknown
            .nearest()
            .map(id -> "did you mean '" + id + "'?")
            .orElse("add it, or leave it out here");
    String kind = unknown.kind().word();
    return field(
            "UNKNOWN_" + unknown.kind().name(),
            unknown.field(),
            "there is no %s '%s': %s".formatted(kind, unknown.id(), meant))
        .withMetadata(kind, unknown.id());
  }

  private static Refusal field(String reason, String field, String description) {
    return Refusal.invalidField(reason, field, description);
  }
}
