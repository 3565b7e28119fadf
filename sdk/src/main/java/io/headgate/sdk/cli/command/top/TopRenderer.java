package io.headgate.sdk.cli.command.top;

import io.headgate.sdk.cli.output.CellWidth;
import io.headgate.sdk.cli.output.Column;
import io.headgate.sdk.cli.output.PrintableText;
import io.headgate.sdk.cli.output.Style;
import io.headgate.sdk.cli.output.Symbols;
import io.headgate.sdk.cli.output.Table;
import io.headgate.sdk.cli.output.TextColors;
import io.headgate.sdk.cli.output.TimeText;
import io.headgate.sdk.model.Event;
import io.headgate.sdk.model.Usage;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/// A frame as lines of a screen. Pure: the same frame gives the same lines.
///
/// @param width of the screen
/// @param height of the screen; 0: there is no screen, and every row is shown
record TopRenderer(TextColors paint, Symbols symbols, TimeText times, int width, int height) {
  private static final int WIDE = 100;
  private static final int EVENTS = 3;
  private static final int TALL = 16;
  private static final int NARROW = 20;
  private static final int LEAST_ROWS = 3;
  private static final String MARK = "> ";
  private static final String NO_MARK = "  ";

  private static final List<String> HELP =
      List.of(
          "1  pools        2  policies     3  jobs         4  nodes",
          "",
          "up, down, j, k  select a row    page up, page down, home, end",
          "/               filter by words of the name; Enter keeps, Escape clears",
          "                jobs: also queue=ID policy=ID user=ID state=STATE",
          "s               next order of the rows",
          "e, Enter        explain the selected job",
          "c               cancel the selected job; asks first",
          "q, Ctrl-C       quit",
          "",
          "bar of a policy  entitled, then over the reservation; the tick is the reservation,",
          "                 the end is the limit",
          "bar of a pool    used, then held for a named job; the end is the capacity");

  /// The lines, at most as many as the screen has, none wider than the screen.
  List<String> lines(TopFrame frame) {
    TopRenderer self = frame.stale().isPresent() ? plain() : this;
    List<String> lines = new ArrayList<>(self.header(frame));
    if (frame.live()) {
      int room = Math.max(0, height - lines.size() - 1);
      lines.addAll(fill(self.body(frame, room), room));
      lines.add(self.footer(frame));
    } else {
      lines.addAll(self.body(frame, 0));
    }
    if (frame.stale().isPresent()) {
      lines.replaceAll(line -> paint.paint(Style.DIM, line));
    }
    return height == 0 ? lines : lines.subList(0, Math.min(height, lines.size()));
  }

  /// Without colours, for lines that are greyed as a whole.
  private TopRenderer plain() {
    return new TopRenderer(new TextColors(false), symbols, times, width, height);
  }

  private static List<String> fill(List<String> lines, int room) {
    List<String> filled = new ArrayList<>(lines.subList(0, Math.min(room, lines.size())));
    while (filled.size() < room) {
      filled.add("");
    }
    return filled;
  }

  private String cut(String text) {
    return CellWidth.truncate(PrintableText.line(text), width, symbols.ellipsis());
  }

  private List<String> header(TopFrame frame) {
    TopData data = frame.data();
    String dot = " " + symbols.dot() + " ";
    String state =
        frame
            .stale()
            .map(stale ->
                "stale since "
                    + times.exact(stale.since())
                    + (stale.why().isEmpty() ? "" : ": " + stale.why()))
            .orElse("live");
    List<String> parts = new ArrayList<>();
    parts.add(data.tenant());
    if (data.simulated()) {
      parts.add("SIMULATED");
    }
    parts.add(state);
    if (frame.stale().isEmpty()) {
      parts.add(data.leader().isEmpty() ? "no leader" : "leader " + data.leader());
      parts.add(times.exact(data.time()));
    }
    String left = cut(String.join(dot, parts));
    String right = cut(total(data));
    int gap = width - CellWidth.of(left) - CellWidth.of(right);
    return gap >= 2
        ? List.of(paint.paint(Style.BOLD, left) + " ".repeat(gap) + right)
        : List.of(paint.paint(Style.BOLD, left), right);
  }

  /// `24 GPUs: 21 1/2 used, 1 held, 1 1/2 idle`.
  private static String total(TopData data) {
    GpuQuantity capacity = sum(data, Usage.OfPool::capacity);
    List<String> parts = new ArrayList<>();
    parts.add(sum(data, Usage.OfPool::used).mixed() + " used");
    GpuQuantity held = sum(data, Usage.OfPool::held);
    if (held.units() > 0) {
      parts.add(held.mixed() + " held");
    }
    parts.add(sum(data, Usage.OfPool::idle).mixed() + " idle");
    GpuQuantity down = sum(data, Usage.OfPool::down);
    if (down.units() > 0) {
      parts.add(down.mixed() + " down");
    }
    String gpus = capacity.equals(GpuQuantity.ONE) ? " GPU: " : " GPUs: ";
    return capacity.mixed() + gpus + String.join(", ", parts);
  }

  private static GpuQuantity sum(TopData data, Function<Usage.OfPool, GpuQuantity> part) {
    return data.pools().stream().map(part).reduce(GpuQuantity.ZERO, GpuQuantity::plus);
  }

  /// @param room lines; 0: as many as there are
  private List<String> body(TopFrame frame, int room) {
    return switch (frame.state().dialog()) {
      case TopDialog.Help _ -> HELP.stream().map(this::cut).toList();
      case TopDialog.Text text -> text(text);
      case TopDialog.None _, TopDialog.Cancel _, TopDialog.Filter _ -> tables(frame, room);
    };
  }

  private List<String> text(TopDialog.Text text) {
    List<String> lines = new ArrayList<>();
    lines.add(paint.paint(Style.HEADING, cut(text.title())));
    text.lines().stream().skip(text.first()).map(this::cut).forEach(lines::add);
    return lines;
  }

  private List<String> tables(TopFrame frame, int room) {
    List<String> events = events(frame.data(), room);
    int left = room == 0 ? 0 : Math.max(1, room - events.size());
    TopRows rows = new TopRows(frame.data(), frame.state());
    TopColumns columns = new TopColumns(TopBars.of(symbols), width >= WIDE ? 20 : 10, times);
    List<String> lines = new ArrayList<>();
    switch (frame.state().view()) {
      case POOLS -> {
        int others = least(rows.policies().size(), left, rows.pools().size());
        lines.addAll(table(frame, columns.pools(), rows.pools(), left - others, true));
        lines.addAll(table(frame, columns.policies(), rows.policies(), others, false));
      }
      case POLICIES -> {
        int others = least(rows.pools().size(), left, rows.policies().size());
        lines.addAll(table(frame, columns.pools(), rows.pools(), others, false));
        lines.addAll(table(frame, columns.policies(), rows.policies(), left - others, true));
      }
      case JOBS -> lines.addAll(table(frame, columns.jobs(), rows.jobs(), left, true));
      case NODES -> lines.addAll(table(frame, columns.nodes(), rows.nodes(), left, true));
    }
    if (frame.live()) {
      lines = new ArrayList<>(fill(lines, left));
    }
    lines.addAll(events);
    return lines;
  }

  /// Lines for the table without the focus: all its rows, if the other table has room for its own;
  /// otherwise a third of the room.
  private static int least(int rows, int room, int focused) {
    int wanted = rows + 1;
    return room == 0 || wanted + focused + 1 <= room
        ? wanted
        : Math.min(wanted, Math.max(LEAST_ROWS, room / 3));
  }

  /// @param room lines; 0 or less: as many as there are
  private <T> List<String> table(
      TopFrame frame, List<Column<T>> columns, List<T> rows, int room, boolean focused) {
    int selected =
        focused && frame.live() ? new TopRows(frame.data(), frame.state()).selected() : -1;
    int shown = height == 0 ? rows.size() : Math.clamp(room - 1L, 0, rows.size());
    boolean isCut = shown < rows.size() && shown > 0;
    int visible = isCut ? Math.max(1, shown - 1) : shown;
    int first = Math.clamp((long) selected - visible / 2, 0, Math.max(0, rows.size() - visible));
    List<T> window = rows.subList(first, Math.min(rows.size(), first + visible));
    String margin = frame.live() && width > NARROW ? NO_MARK : "";
    int inner = width - margin.length();
    List<String> lines = new ArrayList<>();
    List<String> drawn = new Table<>(columns, paint, symbols).lines(window, true, inner);
    List<String> plain =
        new Table<>(columns, new TextColors(false), symbols).lines(window, true, inner);
    for (int i = 0; i < drawn.size(); i++) {
      lines.add(
          selected >= 0 && i == selected - first + 1
              ? paint.paint(Style.SELECTED, CellWidth.pad(cut(MARK + plain.get(i)), width))
              : margin + drawn.get(i));
    }
    if (rows.isEmpty()) {
      lines.add(margin + paint.paint(Style.DIM, CellWidth.truncate(empty(frame), inner, "")));
    }
    if (isCut) {
      lines.add(
          margin
              + paint.paint(
                  Style.DIM,
                  CellWidth.truncate(
                      symbols.ellipsis() + " " + (rows.size() - window.size()) + " more",
                      inner,
                      "")));
    }
    return lines;
  }

  private static String empty(TopFrame frame) {
    return frame.state().filter().isEmpty()
        ? "none"
        : "no row matches the filter; Escape clears it";
  }

  private List<String> events(TopData data, int room) {
    int count = room == 0 || room >= TALL ? EVENTS : 1;
    List<String> lines = new ArrayList<>();
    String label = "EVENTS  ";
    for (Event event : data.events().stream().limit(count).toList()) {
      String text = event.message().isEmpty() ? word(event) : event.message();
      String line = cut(label + times.exact(event.time()) + " " + text);
      lines.add(
          lines.isEmpty()
              ? paint.paint(Style.HEADING, line.substring(0, Math.min(line.length(), 6)))
                  + line.substring(Math.min(line.length(), 6))
              : line);
      label = " ".repeat(label.length());
    }
    return lines;
  }

  private static String word(Event event) {
    String subject = event.job().isEmpty() ? event.node() : event.job();
    return event.type().name().toLowerCase(Locale.ROOT).replace('_', ' ') + " " + subject;
  }

  private String footer(TopFrame frame) {
    TopState state = frame.state();
    String text =
        switch (state.dialog()) {
          case TopDialog.Cancel(String job) -> "cancel " + job + "? (y/N)";
          case TopDialog.Filter(String typed) -> "/" + typed + "_";
          case TopDialog.Help _ -> "any key goes back";
          case TopDialog.Text _ -> "j, k scroll; any other key goes back";
          case TopDialog.None _ -> state.note().isEmpty() ? hints(frame) : state.note();
        };
    return paint.paint(Style.DIM, cut(text));
  }

  private String hints(TopFrame frame) {
    TopState state = frame.state();
    List<String> parts = new ArrayList<>();
    int number = 0;
    for (TopView view : TopView.values()) {
      number++;
      String name = number + " " + view.name().toLowerCase(Locale.ROOT);
      parts.add(view == state.view() ? "[" + name + "]" : name);
    }
    if (state.order() > 0) {
      parts.add("by " + state.view().orders().get(state.order()));
    }
    if (!state.filter().isEmpty()) {
      parts.add("filter: " + state.filter());
    }
    if (state.view() == TopView.JOBS) {
      parts.add(counts(frame.data().jobs().counts()));
    }
    parts.addAll(List.of("? help", "q quit", "/ filter", "s sort"));
    return String.join("  ", parts);
  }

  private static String counts(Map<String, Long> counts) {
    return counts.getOrDefault("RUNNING", 0L)
        + " running, "
        + counts.getOrDefault("WAITING", 0L)
        + " waiting";
  }
}
