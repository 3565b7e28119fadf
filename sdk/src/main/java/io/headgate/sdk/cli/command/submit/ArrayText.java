package io.headgate.sdk.cli.command.submit;

import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.model.JobSpec;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// An array, as users write it: `50`, `1-50`, `1-50%5`.
final class ArrayText {
  /// Most elements of an array.
  static final int MOST = 100_000;

  private static final Pattern FORM = Pattern.compile("(?:1-)?(\\d{1,9})(?:%(\\d{1,9}))?");
  private static final Pattern RANGE = Pattern.compile("(\\d{1,9})-(\\d{1,9})(%\\d{1,9})?");

  private ArrayText() {}

  static JobSpec.Array parse(String text) {
    String where = "--array " + text;
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw refusal(where, text);
    }
    int size = Integer.parseInt(form.group(1));
    if (size < 1 || size > MOST) {
      throw wrong(
          where + ": an array has 1 to 100000 elements, and not " + size, "write --array 50");
    }
    int maxParallel = form.group(2) == null ? 0 : Integer.parseInt(form.group(2));
    if (form.group(2) != null && maxParallel < 1) {
      throw wrong(
          where + ": no element could run",
          "write 1 or more after %, or leave it out: --array " + size);
    }
    return checked(where, new JobSpec.Array(size, maxParallel));
  }

  /// @param where flag or key, for the error
  static JobSpec.Array checked(String where, JobSpec.Array array) {
    if (array.maxParallel() > array.size()) {
      throw wrong(
          "%s: %d at the same time is above the size %d"
              .formatted(where, array.maxParallel(), array.size()),
          "name at most %d, or leave it out".formatted(array.size()));
    }
    return array;
  }

  private static UsageException refusal(String where, String text) {
    if (text.contains(",")) {
      return wrong(
          where + ": an array has no list of numbers; its elements are numbered from 1",
          "write --array %d, and let the job choose its value by HEADGATE_INDEX"
              .formatted(text.split(",").length));
    }
    if (text.contains(":")) {
      return wrong(
          where + ": an array has no steps; its elements are numbered 1, 2, 3 and so on",
          "write --array 10, and let the job multiply HEADGATE_INDEX");
    }
    Matcher range = RANGE.matcher(text);
    if (range.matches()) {
      int first = Integer.parseInt(range.group(1));
      int size = Integer.parseInt(range.group(2)) - first + 1;
      if (size > 0) {
        return wrong(
            "%s: the first number is %d; elements are numbered from 1".formatted(where, first),
            "write --array 1-%d%s, and let the job %s HEADGATE_INDEX"
                .formatted(
                    size,
                    range.group(3) == null ? "" : range.group(3),
                    first == 0 ? "subtract 1 from" : "add " + (first - 1) + " to"));
      }
    }
    return wrong(
        where + ": \"" + text + "\" is not the size of an array",
        "write --array 50, or --array 1-50%5 for at most 5 at a time");
  }

  private static UsageException wrong(String message, String next) {
    return new UsageException(message, "BAD_FLAG_VALUE", next);
  }
}
