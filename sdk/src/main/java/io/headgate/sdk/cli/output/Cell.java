package io.headgate.sdk.cli.output;

/// One field of a table.
public record Cell(String text, Style style) {
  public static final Cell NONE = new Cell("-", Style.DIM);

  public Cell {
    text = PrintableText.line(text);
  }

  public static Cell of(Object value) {
    String text = value.toString();
    return text.isEmpty() ? NONE : new Cell(text, Style.PLAIN);
  }

  public static Cell of(Style style, Object value) {
    return new Cell(value.toString(), style);
  }
}
