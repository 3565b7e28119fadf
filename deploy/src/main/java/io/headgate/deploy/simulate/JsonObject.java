package io.headgate.deploy.simulate;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.StringJoiner;

/// One JSON object on one line; its fields keep their order.
final class JsonObject {
  private final StringJoiner fields = new StringJoiner(",", "{", "}");

  JsonObject put(String name, String value) {
    fields.add(quoted(name) + ":" + quoted(value));
    return this;
  }

  JsonObject put(String name, long value) {
    fields.add(quoted(name) + ":" + value);
    return this;
  }

  JsonObject put(String name, double value, int decimals) {
    BigDecimal rounded = BigDecimal.valueOf(value).setScale(decimals, RoundingMode.HALF_EVEN);
    BigDecimal shown = rounded.signum() == 0 ? BigDecimal.ZERO : rounded.stripTrailingZeros();
    fields.add(quoted(name) + ":" + shown.toPlainString());
    return this;
  }

  JsonObject put(String name, JsonObject value) {
    fields.add(quoted(name) + ":" + value);
    return this;
  }

  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char each = text.charAt(i);
      if (each < ' ') {
        quoted.append("\\u%04x".formatted((int) each));
      } else {
        if (each == '"' || each == '\\') {
          quoted.append('\\');
        }
        quoted.append(each);
      }
    }
    return quoted.append('"').toString();
  }

  @Override
  public String toString() {
    return fields.toString();
  }
}
