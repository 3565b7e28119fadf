package io.headgate.sdk.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextTest {
  @Test
  void widthsAreCells() {
    assertThat(CellWidth.of("abc")).isEqualTo(3);
    assertThat(CellWidth.of("日本")).isEqualTo(4);
    assertThat(CellWidth.of("e\u0301")).isEqualTo(1);
    assertThat(CellWidth.of("😀")).isEqualTo(2);
    assertThat(CellWidth.truncate("日本語", 5, "…")).isEqualTo("日本…");
    assertThat(CellWidth.truncate("日本語", 4, "…")).isEqualTo("日…");
    assertThat(CellWidth.truncate("ab", 1, "...")).isEmpty();
  }

  @Test
  void aTableIsNeverWiderThanTheTerminal() {
    Column<String> flexible = Column.<String>of("TEXT", Cell::of).givingWay();
    Column<String> firm = Column.of("MORE", Cell::of);
    Table<String> table =
        new Table<>(List.of(firm, flexible, firm), new TextColors(false), Symbols.UNICODE);

    for (int width = 1; width < 60; width++) {
      for (String line : table.lines(List.of("日本語 and some text", "x"), true, width)) {
        assertThat(CellWidth.of(line)).isLessThanOrEqualTo(width);
      }
    }
    assertThat(table.lines(List.of("日本語 and some text"), false, 0).getFirst())
        .isEqualTo("日本語 and some text  日本語 and some text  日本語 and some text");
  }

  /// The result does not depend on where the stream is cut.
  @Test
  void theFilterWorksAcrossThePiecesOfAStream() {
    String hostile =
        "a\u001b[1;31mb\u001b]0;title\u001b\\c\u001bPq#\u0007d\u009b2Je\u009d0;x\u0007f é ß\r\n"
            + "日\r"
            + "g\u001b(Bh";
    byte[] bytes = hostile.getBytes(StandardCharsets.UTF_8);

    for (int cut = 0; cut <= bytes.length; cut++) {
      TerminalFilter filter = new TerminalFilter();
      ByteArrayOutputStream clean = new ByteArrayOutputStream();
      clean.writeBytes(filter.filter(java.util.Arrays.copyOfRange(bytes, 0, cut)));
      clean.writeBytes(filter.filter(java.util.Arrays.copyOfRange(bytes, cut, bytes.length)));
      assertThat(clean.toString(StandardCharsets.UTF_8)).isEqualTo("abcdef é ß\n日\ngh");
    }
  }

  /// A terminal in 8-bit mode obeys 0x9B alone. The same byte inside a character is text.
  @Test
  void theFilterRemovesEightBitControlsAndKeepsCharactersWithTheSameBytes() {
    byte[] hostile = {
      'a',
      (byte) 0x9B,
      '2',
      'J',
      'b',
      (byte) 0x9D,
      '0',
      ';',
      'x',
      (byte) 0x9C,
      'c',
      (byte) 0x85,
      'd'
    };
    assertThat(new String(new TerminalFilter().filter(hostile), StandardCharsets.UTF_8))
        .isEqualTo("abcd");

    byte[] broken = {(byte) 0xE6, (byte) 0x9B, '[', 'J', (byte) 0xC3, 0x1B, '[', 'm', 'x'};
    assertThat(new TerminalFilter().filter(broken))
        .containsExactly(0xE6, 0x9B, '[', 'J', 0xC3, 'x');

    String harmless = "\u201b \u66db \ud83d\ude1b \u00db \u00a0.";
    assertThat(
            new String(
                new TerminalFilter().filter(harmless.getBytes(StandardCharsets.UTF_8)),
                StandardCharsets.UTF_8))
        .isEqualTo(harmless);
  }

  @ParameterizedTest
  @CsvSource({
    "AUTO, '', '', '', xterm, true, true", "AUTO, '', '', '', xterm, false, false",
    "AUTO, '', '', '', dumb, true, false", "AUTO, 1, '', '', xterm, true, false",
    "AUTO, '', 1, '', xterm, false, true", "AUTO, '', 0, '', xterm, false, false",
    "AUTO, 1, 1, '', xterm, true, false", "AUTO, '', '', 0, xterm, true, false",
    "ALWAYS, 1, '', 0, dumb, false, true", "NEVER, '', 1, '', xterm, true, false"
  })
  void coloursFollowTheUsualRules(
      TextColors.When flag,
      String noColor,
      String force,
      String color,
      String term,
      boolean terminal,
      boolean colours) {
    Map<String, String> variables = new java.util.HashMap<>();
    variables.put("NO_COLOR", noColor);
    variables.put("CLICOLOR_FORCE", force);
    variables.put("TERM", term);
    if (!color.isEmpty()) {
      variables.put("CLICOLOR", color);
    }

    assertThat(TextColors.decide(flag, variables, terminal).colours()).isEqualTo(colours);
  }

  @ParameterizedTest
  @CsvSource({
    "0,0s",
    "59,59s",
    "60,1m",
    "3599,59m",
    "3600,1h",
    "7860,2h11m",
    "86400,1d",
    "97200,1d3h",
    "-5,0s"
  })
  void spansHaveTheTwoUnitsThatMatter(long seconds, String text) {
    assertThat(TimeText.span(Duration.ofSeconds(seconds))).isEqualTo(text);
  }

  @Test
  void anotherDayIsNamed() {
    Instant now = Instant.parse("2026-11-21T23:50:00Z");
    TimeText times =
        new TimeText(TimeText.Form.RELATIVE, Clock.fixed(now, ZoneOffset.UTC), ZoneOffset.UTC);

    assertThat(times.at(now.plusSeconds(300))).isEqualTo("23:55");
    assertThat(times.at(now.plusSeconds(1200))).isEqualTo("Nov 22 00:10");
    assertThat(times.until(now.plusSeconds(1080))).isEqualTo("in 18m");
    assertThat(times.until(now.minusSeconds(1))).isEqualTo("now");
  }

  @Test
  void csvQuotesWhatNeedsIt() {
    assertThat(CsvText.line(List.of("a", "b,c", "d\"e", "f\ng")))
        .isEqualTo("a,\"b,c\",\"d\"\"e\",\"f\ng\"");
  }

  @ParameterizedTest
  @CsvSource({"en_US.UTF-8,'',…", "C,'',...", "'','',...", "de_DE.utf8,'',…", "en_US.UTF-8,1,..."})
  void signsFollowTheLocale(String lang, String ascii, String ellipsis) {
    assertThat(Symbols.decide(Map.of("LANG", lang, "HEADGATE_ASCII", ascii)).ellipsis())
        .isEqualTo(ellipsis);
  }

  /// All times of a screen are of one kind, also those in a server's sentence.
  @Test
  void timesInASentenceAreThoseOfTheReader() {
    String sentence = "It starts by 2026-11-21T14:18:00Z, or at 2026-11-22T09:00:00.123456Z.";
    Clock clock = Clock.fixed(Instant.parse("2026-11-21T14:00:00Z"), ZoneOffset.UTC);
    ZoneId berlin = ZoneId.of("Europe/Berlin");

    assertThat(new TimeText(TimeText.Form.RELATIVE, clock, berlin).inSentence(sentence))
        .isEqualTo("It starts by 15:18, or at Nov 22 10:00.");
    assertThat(new TimeText(TimeText.Form.UTC, clock, berlin).inSentence(sentence))
        .isEqualTo("It starts by 14:18, or at Nov 22 09:00.");
    assertThat(new TimeText(TimeText.Form.UTC, clock, berlin).inSentence("on 2026-02-31T10:00:00Z"))
        .isEqualTo("on 2026-02-31T10:00:00Z");
  }
}
