package io.headgate.sdk.cli.command.top;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.sdk.cli.output.CellWidth;
import io.headgate.sdk.cli.output.Symbols;
import io.headgate.sdk.cli.output.TextColors;
import io.headgate.sdk.cli.output.TimeText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The lines of the screen, compared with reviewed files. `-Dgolden=write` writes them.
class TopRendererTest {
  private static final Path GOLDEN = Path.of("src/test/resources/golden/top");

  private static TopRenderer renderer(int width, int height, boolean colours, boolean unicode) {
    return new TopRenderer(
        new TextColors(colours),
        unicode ? Symbols.UNICODE : Symbols.ASCII,
        new TimeText(
            TimeText.Form.RELATIVE, Clock.fixed(TopFixtures.NOW, ZoneOffset.UTC), ZoneOffset.UTC),
        width,
        height);
  }

  /// One screen.
  record Case(String name, TopRenderer renderer, TopFrame frame) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Case> screens() {
    TopFrame pools = TopFixtures.frame(TopState.FIRST);
    TopState jobs = TopState.FIRST.with(TopView.JOBS);
    TopFrame stale =
        new TopFrame(
            TopFixtures.data(),
            TopState.FIRST,
            Optional.of(new TopFrame.Stale(TopFixtures.NOW, "cannot reach the server")),
            true);
    return Stream.of(
        new Case("pools-80", renderer(80, 24, false, true), pools),
        new Case("pools-120", renderer(120, 24, true, true), pools),
        new Case("pools-80-ascii", renderer(80, 24, false, false), pools),
        new Case(
            "policies-120-no-color",
            renderer(120, 24, false, true),
            TopFixtures.frame(TopState.FIRST.with(TopView.POLICIES).ordering(1))),
        new Case("jobs-80", renderer(80, 16, true, true), TopFixtures.frame(jobs)),
        new Case(
            "jobs-filtered",
            renderer(80, 12, false, true),
            TopFixtures.frame(jobs.filtering("nothing"))),
        new Case(
            "nodes-80",
            renderer(80, 12, false, true),
            TopFixtures.frame(TopState.FIRST.with(TopView.NODES))),
        new Case("stale-80", renderer(80, 16, true, true), stale),
        new Case(
            "cancel-80",
            renderer(80, 10, false, true),
            TopFixtures.frame(jobs.with(new TopDialog.Cancel("train-4")))),
        new Case(
            "help-80",
            renderer(80, 24, false, true),
            TopFixtures.frame(TopState.FIRST.with(new TopDialog.Help()))),
        new Case(
            "many-80",
            renderer(80, 24, false, true),
            new TopFrame(
                TopFixtures.withPolicies(200),
                TopState.FIRST.with(TopView.POLICIES).selecting("team-100"),
                Optional.empty(),
                true)),
        new Case(
            "frame-80",
            renderer(80, 0, false, true),
            new TopFrame(TopFixtures.data(), TopState.FIRST, Optional.empty(), false)));
  }

  @ParameterizedTest
  @MethodSource("screens")
  void drawsTheReviewedScreen(Case screen) throws IOException {
    String actual =
        String.join("\n", screen.renderer().lines(screen.frame())).replace("\u001b", "<ESC>")
            + "\n";
    Path file = GOLDEN.resolve(screen.name() + ".txt");
    if ("write".equals(System.getProperty("golden"))) {
      Files.createDirectories(GOLDEN);
      Files.writeString(file, actual);
    }
    assertThat(actual).isEqualTo(Files.readString(file));
  }

  /// From 1 x 1 on, in every view.
  @ParameterizedTest
  @ValueSource(ints = {1, 7, 20, 40, 80, 200})
  void fitsAnyScreen(int width) {
    for (int height : List.of(1, 2, 3, 5, 8, 13, 24, 60)) {
      for (TopView view : TopView.values()) {
        TopFrame frame =
            new TopFrame(
                TopFixtures.withPolicies(50), TopState.FIRST.with(view), Optional.empty(), true);
        List<String> lines = renderer(width, height, false, true).lines(frame);
        assertThat(lines).hasSizeLessThanOrEqualTo(height);
        assertThat(lines).allMatch(line -> CellWidth.of(line) <= width);
      }
    }
  }

  @Test
  void namesFromTheServerControlNoTerminal() {
    TopFrame frame = TopFixtures.frame(TopState.FIRST.with(new TopDialog.Cancel("a\u001b[2Jb")));
    assertThat(renderer(80, 24, false, true).lines(frame)).noneMatch(it -> it.contains("\u001b"));
  }
}
