package io.headgate.deploy.observe;

import io.headgate.deploy.observe.MetricStore.Series;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Draws dashboards from a running Prometheus, one page and one picture each, without Grafana.
///
///     BoardPage DASHBOARDS http://127.0.0.1:9090 10m OUT
public final class BoardPage {
  private static final int WIDTH = 1600;
  private static final int ROW = 38;
  private static final int COLUMNS = 24;
  private static final int POINTS = 150;
  private static final int HEADER = 24;
  private static final Pattern LABEL = Pattern.compile("\\{\\{\\s*(\\w+)\\s*}}");
  private static final String STYLE =
      """
      <meta charset=utf-8><style>
      body{background:#111217;color:#ccccdc;font:12px sans-serif;margin:0}
      .panel{position:absolute;background:#181b1f;border:1px solid #2c2f36;overflow:hidden}
      .panel h2{font-size:13px;margin:3px 6px;font-weight:500} .row{position:absolute;font-size:15px}
      text{fill:#9a9aa5;font:10px sans-serif} .legend{padding:0 6px;line-height:15px}
      .legend i{display:inline-block;width:10px;height:3px;margin-right:4px;vertical-align:middle}
      .none{color:#f90;text-align:center;padding-top:20px;font-size:15px}
      .stats{display:flex;gap:20px;padding:8px;flex-wrap:wrap} .stats b{font-size:28px}
      .bars{padding:4px 8px} .bar{display:inline-block;height:11px;margin-right:6px}
      table{border-collapse:collapse;width:100%} td,th{text-align:left;padding:2px 8px;border-bottom:1px solid #2c2f36}
      </style>
      """;

  private final MetricStore store;
  private final Instant begin;
  private final Instant end;

  /// @param begin of the shown time
  public BoardPage(MetricStore store, Instant begin, Instant end) {
    this.store = store;
    this.begin = begin;
    this.end = end;
  }

  public static void main(String[] words) throws Exception {
    if (words.length != 4) {
      System.err.println("BoardPage DASHBOARDS PROMETHEUS TIME OUT");
      System.exit(2);
    }
    Instant end = Instant.now();
    Duration shown = Duration.parse("PT" + words[2]);
    try (MetricStore store = MetricStore.of(URI.create(words[1]))) {
      new BoardPage(store, end.minus(shown), end).draw(Path.of(words[0]), Path.of(words[3]));
    }
  }

  /// Draws all dashboards of a directory, and says where.
  public void draw(Path dashboards, Path out) throws IOException, InterruptedException {
    Files.createDirectories(out);
    for (Board board : Board.readAll(dashboards)) {
      Path page = Files.writeString(out.resolve(board.uid() + ".html"), html(board));
      System.out.println(page);
      Browser.find().ifPresent(browser -> browser.picture(page.toUri(), WIDTH, height(board), out));
    }
  }

  private static int height(Board board) {
    return board.panels().stream()
                .map(panel -> panel.json().at("gridPos"))
                .mapToInt(at -> (int) (at.at("y").number(0) + at.at("h").number(0)))
                .max()
                .orElse(1)
            * ROW
        + 60;
  }

  String html(Board board) {
    StringBuilder html =
        new StringBuilder(STYLE)
            .append("<h1>")
            .append(Drawing.escape(board.title()))
            .append("</h1>");
    for (Board.Panel panel : board.panels()) {
      Json at = panel.json().at("gridPos");
      int width = (int) (at.at("w").number(12) * WIDTH / COLUMNS) - 8;
      int height = (int) at.at("h").number(8) * ROW - 8;
      html.append(
          "<div class=panel style='left:%dpx;top:%dpx;width:%dpx;height:%dpx'><h2>%s</h2>%s</div>\n"
              .formatted(
                  (int) (at.at("x").number(0) * WIDTH / COLUMNS),
                  (int) at.at("y").number(0) * ROW + 50,
                  width,
                  height,
                  Drawing.escape(panel.title()),
                  new Drawing(panel, lines(board, panel), width, height - HEADER, begin, end)
                      .html()));
    }
    return html.toString();
  }

  private List<Drawing.Line> lines(Board board, Board.Panel panel) {
    List<Drawing.Line> lines = new ArrayList<>();
    Duration range = Duration.between(begin, end);
    Duration step = Duration.ofSeconds(Math.max(1, range.toSeconds() / POINTS));
    Duration rates = Duration.ofSeconds(Math.max(10, 4 * step.toSeconds()));
    for (Board.Target target : panel.targets()) {
      String query = board.expand(target.query(), range, rates);
      List<Series> found =
          target.isInstant() ? store.at(query, end) : store.range(query, begin, end, step);
      for (Series series : found) {
        lines.add(new Drawing.Line(target, name(target, series), series));
      }
    }
    return lines;
  }

  private static String name(Board.Target target, Series series) {
    if (target.legend().isEmpty() || target.legend().equals("__auto")) {
      return series.labels().toString();
    }
    Matcher matcher = LABEL.matcher(target.legend());
    return matcher.replaceAll(label -> Matcher.quoteReplacement(series.label(label.group(1))));
  }
}
