package io.headgate.type;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads the text forms of a [GpuQuantity].
final class GpuQuantityParser {
  // The digits are bounded, so that hostile input is cheap to refuse.
  private static final Pattern DECIMAL = Pattern.compile("\\d{1,10}(\\.\\d{1,18})?");
  private static final Pattern FRACTION = Pattern.compile("(\\d{1,10})/(\\d{1,10})");
  private static final BigInteger UNITS = BigInteger.valueOf(GpuQuantity.UNITS_PER_GPU);

  private GpuQuantityParser() {}

  static GpuQuantity parse(String text) {
    BigInteger numerator;
    BigInteger denominator;
    Matcher fraction = FRACTION.matcher(text);
    if (fraction.matches()) {
      numerator = new BigInteger(fraction.group(1));
      denominator = new BigInteger(fraction.group(2));
      if (denominator.signum() == 0) {
        throw new MalformedQuantityException(text);
      }
    } else if (DECIMAL.matcher(text).matches()) {
      BigDecimal value = new BigDecimal(text);
      numerator = value.unscaledValue();
      denominator = BigInteger.TEN.pow(value.scale());
    } else {
      throw new MalformedQuantityException(text);
    }
    BigInteger[] units = numerator.multiply(UNITS).divideAndRemainder(denominator);
    if (units[0].compareTo(BigInteger.valueOf(GpuQuantity.MAX_GPUS).multiply(UNITS)) >= 0
        && (units[1].signum() != 0
            || units[0].compareTo(BigInteger.valueOf(GpuQuantity.MAX_GPUS).multiply(UNITS)) > 0)) {
      throw new MalformedQuantityException(text);
    }
    long whole = units[0].longValueExact();
    if (units[1].signum() != 0) {
      throw new InexactQuantityException(text, new GpuQuantity(whole), new GpuQuantity(whole + 1));
    }
    return new GpuQuantity(whole);
  }
}
