package io.headgate.sdk.config;

import java.util.Optional;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.ParserException;
import org.snakeyaml.engine.v2.parser.Parser;

/// Refuses deep nesting during parsing, because the composer above it recurses once for each level.
final class DepthLimitedParser implements Parser {
  private final Parser parser;
  private final int maxDepth;
  private int depth;

  /// @param maxDepth most collections that may be open at once
  DepthLimitedParser(Parser parser, int maxDepth) {
    this.parser = parser;
    this.maxDepth = maxDepth;
  }

  @Override
  public boolean checkEvent(Event.ID choice) {
    return parser.checkEvent(choice);
  }

  @Override
  public Event peekEvent() {
    return parser.peekEvent();
  }

  @Override
  public boolean hasNext() {
    return parser.hasNext();
  }

  @Override
  public Event next() {
    Event event = parser.next();
    if (event instanceof CollectionStartEvent) {
      if (++depth > maxDepth) {
        throw new ParserException(
            "", Optional.empty(), YamlTreeParser.TOO_DEEP, event.getStartMark());
      }
    } else if (event instanceof CollectionEndEvent) {
      depth--;
    }
    return event;
  }
}
