package io.headgate.sdk.cli.command.timeline;

import io.headgate.sdk.cli.command.timeline.Bar.Part;
import io.headgate.sdk.cli.output.PrintableText;
import io.headgate.type.GpuQuantity;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Draws a timeline as a self-contained SVG: no scripts, fonts or links. The colour of a bar is its
/// policy; stripes, outlines and paler parts say the same as the marks of the terminal.
final class TimelineSvg {
  private static final int WIDTH = 1200;
  private static final int MARGIN = 12;
  private static final int ROW = 18;
  private static final int BAR = 14;
  private static final int TOP = 58;
  private static final double LETTER = 6.4;
  private static final int TICK = 90;

  /// Colours that also people with a colour blindness tell apart (Okabe and Ito), but light enough
  /// for black text.
  private static final List<String> COLOURS =
      List.of(
          "#56b4e9", "#e69f00", "#4fc3a1", "#f0e442", "#e58fc0", "#e8804a", "#8ea8d8", "#b5b56b");

  private final StringBuilder svg = new StringBuilder();
  private final Map<String, String> colours = new LinkedHashMap<>();
  private final ZoneId zone;

  TimelineSvg(ZoneId zone) {
    this.zone = zone;
  }

  String draw(Timeline timeline, String tenant) {
    int labels = MARGIN + labelWidth(timeline);
    Axis axis = new Axis(timeline.since(), timeline.until(), WIDTH - labels - MARGIN, zone);
    timeline.tracks().stream()
        .flatMap(track -> track.bars().stream())
        .filter(bar -> bar.holder().isSeen())
        .map(bar -> bar.holder().policy())
        .sorted()
        .distinct()
        .forEach(policy -> colours.put(policy, COLOURS.get(colours.size() % COLOURS.size())));
    int bottom = TOP + ROW * Math.max(1, timeline.tracks().size());
    int legendLines = (colours.size() + 5) / 6 + 1;
    int height = bottom + 16 + legendLines * ROW + (isCut(timeline) ? ROW : 0) + MARGIN;
    head(height, axis, tenant);
    grid(axis, labels, bottom);
    int y = TOP;
    for (Track track : timeline.tracks()) {
      track(track, axis, labels, y);
      y += ROW;
    }
    legend(timeline, bottom + 16 + BAR);
    svg.append("</svg>\n");
    return svg.toString();
  }

  private static boolean isCut(Timeline timeline) {
    return !timeline.left().equals(Timeline.Left.NOTHING);
  }

  private static String label(Track track) {
    Bar.Place place = track.place();
    return place.node()
        + " device "
        + place.device()
        + (track.isUnused() ? "" : " · " + track.slice());
  }

  private static int labelWidth(Timeline timeline) {
    int letters =
        timeline.tracks().stream().mapToInt(track -> label(track).length()).max().orElse(8);
    return (int) (Math.min(48, letters) * LETTER) + MARGIN;
  }

  private void head(int height, Axis axis, String tenant) {
    svg.append(
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" viewBox="0 0 %1$d %2$d" role="img">
        <title>%3$s</title>
        <style>
        text { font: 11px sans-serif; fill: #222 }
        .head { font-size: 14px; font-weight: bold }
        .row { fill: #f4f4f4 }
        .grid { stroke: #ddd }
        .bar { stroke: #444; stroke-width: .5 }
        .held { fill: none; stroke: #444; stroke-dasharray: 3 2 }
        .taken { fill: #999; stroke: #666; stroke-width: .5 }
        .down { fill: url(#down); stroke: #b00; stroke-width: .5 }
        .stopping { opacity: .45 }
        .name { paint-order: stroke; stroke: #fff; stroke-width: 2.5; stroke-opacity: .6 }
        .end { stroke: #b00; stroke-width: 2 }
        </style>
        <defs>
        <pattern id="over" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="2" height="6" fill="#000" opacity=".28"/></pattern>
        <pattern id="above" width="5" height="5" patternUnits="userSpaceOnUse"><path d="M0 0L5 5M5 0L0 5" stroke="#000" opacity=".45"/></pattern>
        <pattern id="down" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)"><rect width="8" height="8" fill="#fff"/><rect width="2" height="8" fill="#b00" opacity=".45"/></pattern>
        </defs>
        <rect width="%1$d" height="%2$d" fill="#fff"/>
        """
            .formatted(WIDTH, height, escape("Timeline of " + tenant + ", " + axis.period())));
    text(MARGIN, MARGIN + 12, "head", tenant + ", " + axis.period());
  }

  private void grid(Axis axis, int left, int bottom) {
    for (Axis.Tick tick : axis.ticks(TICK)) {
      double x = left + axis.position(tick.at());
      line(x, TOP - 6, x, bottom, "grid");
      text(x + 3, TOP - 10, "", tick.text());
    }
    line(left, TOP - 6, left, bottom, "grid");
  }

  private void track(Track track, Axis axis, int left, int y) {
    text(MARGIN, y + BAR - 3, "", cut(label(track), left - MARGIN));
    rect(left, y, axis.cells(), BAR, "class=\"row\"");
    for (Down down : track.downs()) {
      down(track.place(), down, axis, left, y);
    }
    for (Bar bar : track.bars()) {
      svg.append("<g><title>").append(escape(title(bar, axis))).append("</title>\n");
      double begin = axis.position(bar.from());
      double end = Math.max(begin + 1, axis.position(bar.until()));
      for (Part part : bar.parts()) {
        double from = axis.position(part.from());
        double to = Math.max(from + 1, axis.position(part.until()));
        part(bar, part.mark(), left + from, y, to - from);
      }
      if (bar.preempted()) {
        line(left + end, y, left + end, y + BAR, "end");
      }
      String label = cut(bar.holder().label(), end - begin - 6);
      if (!label.isEmpty()) {
        text(left + begin + 3, y + BAR - 3, "name", label);
      }
      svg.append("</g>\n");
    }
  }

  private void down(Bar.Place place, Down down, Axis axis, int left, int y) {
    String title =
        "down: it took no work\n%s of %s device %d, pool %s\n%s to %s"
            .formatted(
                down.quantity().mixed(),
                place.node(),
                place.device(),
                place.pool(),
                axis.exact(down.from()),
                down.lasts() ? "now" : axis.exact(down.until()));
    double from = axis.position(down.from());
    double to = Math.max(from + 1, axis.position(down.until()));
    svg.append("<g><title>").append(escape(title)).append("</title>\n");
    rect(left + from, y, to - from, BAR, "class=\"down\"");
    svg.append("</g>\n");
  }

  private void part(Bar bar, Mark mark, double x, int y, double width) {
    String colour = colours.getOrDefault(bar.holder().policy(), "#e4e4e4");
    switch (mark) {
      case HELD -> rect(x, y + 1, width, BAR - 2, "class=\"held\"");
      case TAKEN -> rect(x, y, width, BAR, "class=\"taken\"");
      case DOWN -> rect(x, y, width, BAR, "class=\"down\"");
      case STOPPING -> rect(x, y, width, BAR, "class=\"bar stopping\" fill=\"" + colour + "\"");
      case ENTITLED, OVER, ABOVE, FREE, NOTHING ->
          rect(x, y, width, BAR, "class=\"bar\" fill=\"" + colour + "\"");
    }
    if (mark == Mark.OVER || mark == Mark.ABOVE) {
      rect(x, y, width, BAR, "fill=\"url(#%s)\"".formatted(mark == Mark.OVER ? "over" : "above"));
    }
  }

  private static String title(Bar bar, Axis axis) {
    Bar.Holder holder = bar.holder();
    Bar.Place place = bar.place();
    String slice =
        "%s of %s device %d, pool %s"
            .formatted(place.quantity().mixed(), place.node(), place.device(), place.pool());
    String who =
        holder.isSeen()
            ? (holder.job().isEmpty() ? "a job that is not stored any more" : holder.label())
                + (holder.attempt() == 0 ? ": held for it" : ", attempt " + holder.attempt())
                + "\nuser %s, policy %s, queue %s"
                    .formatted(holder.user(), holder.policy(), holder.queue())
            : "in use by another team";
    StringBuilder parts = new StringBuilder();
    for (Part part : bar.parts()) {
      parts
          .append('\n')
          .append(axis.exact(part.from()))
          .append(" to ")
          .append(
              bar.lasts() && part.equals(bar.parts().getLast()) ? "now" : axis.exact(part.until()))
          .append(": ")
          .append(part.mark().words);
    }
    return who + "\n" + slice + parts + (bar.preempted() ? "\nhad to go for another job" : "");
  }

  private void legend(Timeline timeline, int top) {
    int x = MARGIN;
    int y = top;
    int number = 0;
    for (Map.Entry<String, String> policy : colours.entrySet()) {
      if (number > 0 && number % 6 == 0) {
        x = MARGIN;
        y += ROW;
      }
      rect(x, y - 10, 16, 10, "class=\"bar\" fill=\"" + policy.getValue() + "\"");
      text(x + 22, y, "", cut("policy " + policy.getKey(), 160));
      x += 190;
      number++;
    }
    y += colours.isEmpty() ? 0 : ROW;
    x = MARGIN;
    for (Mark mark :
        List.of(
            Mark.ENTITLED,
            Mark.OVER,
            Mark.ABOVE,
            Mark.STOPPING,
            Mark.HELD,
            Mark.TAKEN,
            Mark.DOWN)) {
      Bar sample =
          new Bar(
              new Bar.Place("", "", 0, GpuQuantity.ONE),
              new Bar.Holder("", "", 1, "", "", "", ""),
              List.of(),
              false,
              false);
      part(sample, mark, x, y - 12, 16);
      text(x + 22, y, "", mark.words);
      x += 150;
    }
    line(x + 8, y - 12, x + 8, y + 2, "end");
    text(x + 16, y, "", "was preempted");
    if (isCut(timeline)) {
      text(
          MARGIN,
          y + ROW,
          "",
          "not shown: %,d more rows and %,d free devices; narrow with --pool, --node, --policy or --job"
              .formatted(timeline.left().rows(), timeline.left().freeDevices()));
    }
  }

  /// The text as far as it fits, or nothing.
  private static String cut(String text, double width) {
    int letters = (int) (width / LETTER);
    if (text.length() <= letters) {
      return text;
    }
    return letters < 4 ? "" : text.substring(0, letters - 1) + "…";
  }

  private void rect(double x, double y, double width, double height, String attributes) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" %s/>\n",
            x,
            y,
            width,
            height,
            attributes));
  }

  private void line(double fromX, double fromY, double toX, double toY, String style) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<path class=\"%s\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n",
            style,
            fromX,
            fromY,
            toX,
            toY));
  }

  private void text(double x, double y, String style, String text) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<text%s x=\"%.1f\" y=\"%.1f\">%s</text>\n",
            style.isEmpty() ? "" : " class=\"" + style + "\"",
            x,
            y,
            escape(text)));
  }

  /// Text of an element. Characters that XML does not allow are left out.
  static String escape(String text) {
    StringBuilder escaped = new StringBuilder();
    for (String line : text.split("\n", -1)) {
      escaped.append(escaped.isEmpty() ? "" : "\n");
      PrintableText.line(line)
          .codePoints()
          .filter(point -> point < 0xD800 || (point > 0xDFFF && (point & 0xFFFE) != 0xFFFE))
          .forEach(point -> {
            switch (point) {
              case '&' -> escaped.append("&amp;");
              case '<' -> escaped.append("&lt;");
              case '>' -> escaped.append("&gt;");
              case '"' -> escaped.append("&quot;");
              case '\'' -> escaped.append("&#39;");
              default -> escaped.appendCodePoint(point);
            }
          });
    }
    return escaped.toString();
  }
}
