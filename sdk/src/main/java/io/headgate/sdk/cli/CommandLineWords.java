package io.headgate.sdk.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// The words of a call, split into the command and its arguments. Flags before the command count as
/// the command's: `headgate -t acme jobs` is `headgate jobs -t acme`.
///
/// @param command empty: the call names none
record CommandLineWords(String command, List<String> rest) {
  private static final Set<String> TAKE_A_VALUE =
      Set.of(
          "--server",
          "--context",
          "-t",
          "--tenant",
          "-o",
          "--output",
          "--color",
          "--time",
          "--timeout",
          "--sort",
          "--limit",
          "--filter");

  static CommandLineWords of(List<String> words) {
    int index = 0;
    while (index < words.size() && words.get(index).startsWith("-")) {
      index += TAKE_A_VALUE.contains(words.get(index)) ? 2 : 1;
    }
    if (index >= words.size()) {
      return new CommandLineWords("", words);
    }
    List<String> rest = new ArrayList<>(words.subList(0, index));
    rest.addAll(words.subList(index + 1, words.size()));
    return new CommandLineWords(words.get(index), rest);
  }
}
