package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// A table of a rule: each row tells the situation, the events and the result, in the words of
/// [RuleStory]. The table is compared whole, with the real result in the last column.
///
/// | there | happens | comes of it |
/// |---|---|---|
/// | `node n 4; dev 0/2` | `dev: a b c` | `a runs; b runs; c waits LIMIT` |
final class RuleTable {
  private RuleTable() {}

  /// @param always what there is in all rows, beside what each says
  static void check(String always, String table) {
    List<String> written = new ArrayList<>();
    List<String> found = new ArrayList<>();
    for (String line : table.lines().toList()) {
      List<String> cells = Arrays.stream(line.split("\\|", -1)).map(String::strip).toList();
      if (cells.size() != 3) {
        throw new IllegalArgumentException("a row has three cells: " + line);
      }
      RuleStory story = new RuleStory(always + "; " + cells.getFirst());
      story.tell(cells.get(1));
      String row = cells.getFirst() + " | " + cells.get(1) + " | ";
      written.add(row + cells.getLast());
      found.add(row + story.outcome(cells.getLast()));
    }
    assertThat(written).as("a table has rows").hasSizeGreaterThan(1);
    assertThat(String.join("\n", found)).isEqualTo(String.join("\n", written));
  }
}
