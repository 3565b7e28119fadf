package io.headgate.sdk.cli.context;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// All contexts, and the name of the selected one.
///
/// @param current null: none is selected
public record Contexts(@Nullable String current, List<Context> all) {
  public static final Contexts NONE = new Contexts(null, List.of());

  public Contexts {
    all = List.copyOf(all);
  }

  public Optional<Context> find(String name) {
    return all.stream().filter(context -> context.name().equals(name)).findFirst();
  }

  public Optional<Context> selected() {
    return current == null ? Optional.empty() : find(current);
  }

  /// Adds the context, or replaces the one of the same name.
  public Contexts with(Context context) {
    List<Context> next = new ArrayList<>(all);
    next.replaceAll(old -> old.name().equals(context.name()) ? context : old);
    if (find(context.name()).isEmpty()) {
      next.add(context);
    }
    return new Contexts(current, next);
  }

  /// Removes a context. If it was selected, none is selected afterwards.
  public Contexts without(String name) {
    return new Contexts(
        name.equals(current) ? null : current,
        all.stream().filter(context -> !context.name().equals(name)).toList());
  }

  public Contexts select(String name) {
    return new Contexts(name, all);
  }
}
