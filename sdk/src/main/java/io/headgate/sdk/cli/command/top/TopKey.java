package io.headgate.sdk.cli.command.top;

/// A key that the user pressed.
sealed interface TopKey {
  /// A character, as it was typed.
  record Typed(int point) implements TopKey {}

  /// A key without a character.
  enum Named implements TopKey {
    UP,
    DOWN,
    PAGE_UP,
    PAGE_DOWN,
    HOME,
    END,
    ENTER,
    ESCAPE,
    BACKSPACE,
    /// An unknown sequence; it does nothing.
    OTHER
  }
}
