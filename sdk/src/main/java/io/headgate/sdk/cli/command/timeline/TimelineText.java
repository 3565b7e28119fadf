package io.headgate.sdk.cli.command.timeline;

import io.headgate.sdk.cli.command.timeline.TrackCells.Cell;
import io.headgate.sdk.cli.command.timeline.TrackCells.Run;
import io.headgate.sdk.cli.output.CellWidth;
import io.headgate.sdk.cli.output.Style;
import io.headgate.sdk.cli.output.Symbols;
import io.headgate.sdk.cli.output.TextColors;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// Draws a timeline for a terminal, one line for each track.
///
/// ```text
/// NODE    DEVICE  SLICE  13:00     13:20     13:40
/// gpu-03       0      1  █train-4██████▒▒▒▒▒▒▓▓···
/// gpu-03       1    1/2  a█████████████████████████
/// ```
final class TimelineText {
  private static final int LEAST_CELLS = 24;
  private static final int WIDEST_NODE = 24;
  private static final int TICK_CELLS = 10;
  private static final String GAP = "  ";
  private static final String KEYS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

  private final TextColors paint;
  private final Symbols symbols;
  private final ZoneId zone;
  private final int width;

  /// Keys of holders by their names, in the order of their appearance.
  private final Map<String, String> keys = new LinkedHashMap<>();

  private final Set<String> named = new HashSet<>();
  private final Set<String> unnamed = new HashSet<>();
  private final Set<Mark> marks = EnumSet.noneOf(Mark.class);
  private boolean hasPreempted;

  /// For one drawing.
  ///
  /// @param width cells of a line
  TimelineText(TextColors paint, Symbols symbols, ZoneId zone, int width) {
    this.paint = paint;
    this.symbols = symbols;
    this.zone = zone;
    this.width = width;
  }

  private record Labels(int node, int device, int slice) {
    static Labels of(List<Track> tracks) {
      return new Labels(
          Math.min(WIDEST_NODE, widest(tracks.stream().map(track -> track.place().node()), "NODE")),
          widest(tracks.stream().map(track -> String.valueOf(track.place().device())), "DEVICE"),
          widest(tracks.stream().map(Track::slice), "SLICE"));
    }

    private static int widest(Stream<String> texts, String heading) {
      return Math.max(heading.length(), texts.mapToInt(CellWidth::of).max().orElse(0));
    }

    int width() {
      return node + device + slice + 3 * GAP.length();
    }
  }

  List<String> lines(Timeline timeline) {
    Labels labels = Labels.of(timeline.tracks());
    Axis axis =
        new Axis(
            timeline.since(),
            timeline.until(),
            Math.max(LEAST_CELLS, width - labels.width()),
            zone);
    List<String> lines = new ArrayList<>();
    lines.add(axis.period());
    if (!timeline.tracks().isEmpty()) {
      lines.add(heading(labels, axis));
      lines.addAll(tracks(timeline, labels, axis));
      lines.addAll(legend());
    }
    lines.addAll(left(timeline.left()));
    return lines;
  }

  private String heading(Labels labels, Axis axis) {
    String head =
        CellWidth.pad("NODE", labels.node())
            + GAP
            + toRight("DEVICE", labels.device())
            + GAP
            + toRight("SLICE", labels.slice())
            + GAP;
    StringBuilder ticks = new StringBuilder();
    for (Axis.Tick tick : axis.ticks(TICK_CELLS)) {
      int cell = (int) axis.position(tick.at());
      if (cell >= ticks.length() && cell + tick.text().length() <= axis.cells()) {
        ticks.append(" ".repeat(cell - ticks.length())).append(tick.text()).append(' ');
      }
    }
    return paint.paint(Style.HEADING, (head + ticks).stripTrailing());
  }

  private static String toRight(String text, int width) {
    return " ".repeat(Math.max(0, width - CellWidth.of(text))) + text;
  }

  private List<String> tracks(Timeline timeline, Labels labels, Axis axis) {
    boolean hasPools =
        timeline.tracks().stream().map(track -> track.place().pool()).distinct().count() > 1;
    List<String> lines = new ArrayList<>();
    String pool = "";
    List<Track> tracks = timeline.tracks();
    for (int i = 0; i < tracks.size(); i++) {
      Track track = tracks.get(i);
      if (hasPools && !track.place().pool().equals(pool)) {
        pool = track.place().pool();
        lines.add("pool " + pool);
      }
      List<Track> device = device(tracks, i);
      lines.add(
          CellWidth.pad(
                  CellWidth.truncate(track.place().node(), labels.node(), symbols.ellipsis()),
                  labels.node())
              + GAP
              + toRight(String.valueOf(track.place().device()), labels.device())
              + GAP
              + toRight(track.slice(), labels.slice())
              + GAP
              + bars(TrackCells.of(track, device, timeline, axis)));
    }
    return lines;
  }

  /// The neighbouring tracks of the same device.
  private static List<Track> device(List<Track> tracks, int index) {
    int from = index;
    while (from > 0 && tracks.get(from - 1).isOn(tracks.get(index))) {
      from--;
    }
    int to = index + 1;
    while (to < tracks.size() && tracks.get(to).isOn(tracks.get(index))) {
      to++;
    }
    return tracks.subList(from, to);
  }

  private String bars(List<Cell> cells) {
    List<Run> runs = TrackCells.runs(cells);
    Map<Bar, Run> longest = new HashMap<>();
    Map<Bar, Run> last = new HashMap<>();
    for (Run run : runs) {
      run.cell()
          .bar()
          .ifPresent(bar -> {
            longest.merge(bar, run, (a, b) -> a.length() >= b.length() ? a : b);
            last.put(bar, run);
          });
    }
    StringBuilder line = new StringBuilder();
    for (Run run : runs) {
      Mark mark = run.cell().mark();
      marks.add(mark);
      String sign = mark.sign(symbols);
      String label =
          run.cell()
              .bar()
              .filter(bar -> run.equals(longest.get(bar)))
              .map(bar -> bar.holder().label())
              .orElse("");
      String text = sign.repeat(run.length());
      if (!label.isEmpty()) {
        text = labelled(label, sign, run.length());
      }
      boolean isPreempted =
          run.cell().bar().filter(bar -> bar.preempted() && run.equals(last.get(bar))).isPresent();
      if (isPreempted && text.endsWith(sign)) {
        hasPreempted = true;
        text = text.substring(0, text.length() - sign.length()) + symbols.times();
      }
      line.append(paint.paint(mark.style, text));
    }
    return line.toString().stripTrailing();
  }

  /// The name with a sign on both sides, or its key with a sign after it, or signs only.
  private String labelled(String name, String sign, int length) {
    int size = CellWidth.of(name);
    if (size + 2 <= length) {
      named.add(name);
      return sign + name + sign.repeat(length - size - 1);
    }
    Optional<String> key = length < 2 ? Optional.empty() : key(name);
    if (key.isEmpty()) {
      unnamed.add(name);
    }
    return key.map(letter -> letter + sign.repeat(length - 1)).orElse(sign.repeat(length));
  }

  private Optional<String> key(String name) {
    if (!keys.containsKey(name) && keys.size() < KEYS.length()) {
      keys.put(name, String.valueOf(KEYS.charAt(keys.size())));
    }
    return Optional.ofNullable(keys.get(name));
  }

  private List<String> legend() {
    List<String> signs = new ArrayList<>();
    marks.stream()
        .filter(mark -> mark != Mark.NOTHING)
        .forEach(mark -> signs.add(mark.sign(symbols) + " " + mark.words));
    if (hasPreempted) {
      signs.add(symbols.times() + " preempted");
    }
    List<String> lines = new ArrayList<>(wrapped(signs));
    lines.addAll(
        wrapped(keys.entrySet().stream().map(key -> key.getValue() + " " + key.getKey()).toList()));
    unnamed.removeAll(named);
    unnamed.removeAll(keys.keySet());
    if (!unnamed.isEmpty()) {
      lines.add(
          "%d %s too short for a name here: choose a shorter period, or -o svg or json"
              .formatted(unnamed.size(), unnamed.size() == 1 ? "job is" : "jobs are"));
    }
    return lines;
  }

  /// As many entries in a line as it has room for.
  private List<String> wrapped(List<String> entries) {
    List<String> lines = new ArrayList<>();
    for (String entry : entries) {
      String last = lines.isEmpty() ? "" : lines.getLast();
      if (!last.isEmpty() && CellWidth.of(last) + GAP.length() + CellWidth.of(entry) <= width) {
        lines.set(lines.size() - 1, last + GAP + entry);
      } else {
        lines.add(entry);
      }
    }
    return lines;
  }

  private static List<String> left(Timeline.Left left) {
    List<String> parts = new ArrayList<>();
    if (left.rows() > 0) {
      parts.add("%,d more rows".formatted(left.rows()));
    }
    if (left.freeDevices() > 0) {
      parts.add("%,d free devices".formatted(left.freeDevices()));
    }
    return parts.isEmpty()
        ? List.of()
        : List.of(
            "not shown: %s; narrow with --pool, --node, --policy or --job"
                .formatted(String.join(" and ", parts)));
  }
}
