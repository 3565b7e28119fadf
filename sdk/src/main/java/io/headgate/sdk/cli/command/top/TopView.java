package io.headgate.sdk.cli.command.top;

import java.util.List;

/// The table that has the focus.
enum TopView {
  POOLS,
  POLICIES,
  JOBS,
  NODES;

  /// Names of the orders of its rows, as [TopRows] numbers them; the first one is the usual one.
  List<String> orders() {
    return switch (this) {
      case POOLS -> List.of("name", "most used", "most idle");
      case POLICIES -> List.of("name", "most over", "most waiting", "oldest waiting");
      case JOBS -> List.of("newest", "largest", "policy");
      case NODES -> List.of("name", "pool", "most used");
    };
  }
}
