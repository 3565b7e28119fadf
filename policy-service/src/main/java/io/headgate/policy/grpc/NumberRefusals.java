package io.headgate.policy.grpc;

import static io.headgate.policy.grpc.DenialRefusals.quoted;

import io.headgate.kit.failure.Refusal;
import io.headgate.policy.core.Denial;
import io.headgate.type.GpuQuantity;

/// Puts denials of invalid numbers into words, codes and numbers.
final class NumberRefusals {
  private NumberRefusals() {}

  static Refusal of(Denial.OfNumber denial) {
    return switch (denial) {
      case Denial.MalformedQuantity(var field, var text) ->
          Refusal.invalidField(
              "MALFORMED_QUANTITY",
              field,
              quoted(text) + " is not a GPU quantity: write a number such as 4, 0.5 or 1/7");
      case Denial.InexactQuantity(var field, var text, var below, var above) ->
          Refusal.invalidField(
                  "INEXACT_QUANTITY",
                  field,
                  text
                      + " GPU cannot be represented exactly: the nearest quantities are "
                      + unreduced(below)
                      + " and "
                      + unreduced(above))
              .withMetadata("below", below)
              .withMetadata("above", above);
      case Denial.MalformedAmount(var field, var text) ->
          Refusal.invalidField(
              "MALFORMED_AMOUNT",
              field,
              quoted(text)
                  + " is not the amount of a budget: write a number above 0 such as 5000 or 12000.50,"
                  + " with at most 12 digits and 6 decimals");
      case Denial.UnknownCurrency(var field, var code) ->
          Refusal.invalidField(
              "UNKNOWN_CURRENCY", field, quoted(code) + " is no ISO 4217 code: write USD or EUR");
      case Denial.OutOfRange(var field, var value, var low, var high) ->
          Refusal.invalidField(
                  "OUT_OF_RANGE", field, value + " is not within " + low + " to " + high)
              .withMetadata("value", value);
    };
  }

  /// A common denominator shows that two quantities are neighbours.
  private static String unreduced(GpuQuantity quantity) {
    return quantity.units() + "/" + GpuQuantity.UNITS_PER_GPU;
  }
}
