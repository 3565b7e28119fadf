package io.headgate.deploy;

import io.headgate.sdk.cli.context.Context;
import io.headgate.sdk.cli.context.ContextStore;
import io.headgate.sdk.cli.context.Contexts;
import java.io.IOException;
import java.net.URI;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The context by which the command line finds an installation: `local`, or `local-PORT` where the
/// port is not the default. So two installations side by side keep a context each.
record UpContext(ContextStore store, Context context, @Nullable String before) {
  private static final int USUAL_PORT = 7400;

  /// Writes the context and selects it.
  ///
  /// @param chosen name that the user chose; null: `local` or `local-PORT`
  static UpContext write(
      ContextStore store, @Nullable String chosen, URI uri, String tenant, String key)
      throws IOException {
    String name =
        chosen != null ? chosen : uri.getPort() == USUAL_PORT ? "local" : "local-" + uri.getPort();
    Contexts contexts = store.load();
    Context context = new Context(name, uri.toString(), tenant, key, null);
    store.put(context);
    String selected = contexts.current();
    return new UpContext(store, context, name.equals(selected) ? null : selected);
  }

  /// `"local-7500", tenant acme: ~/.config/headgate/config.yaml, selected instead of "local"`.
  String text() {
    return "\"%s\", tenant %s: %s, selected%s"
        .formatted(
            context.name(),
            context.tenant(),
            store.file(),
            before == null ? "" : " instead of \"" + before + "\"");
  }

  /// Removes the context and selects the earlier one again, unless either has changed since.
  void remove() throws IOException {
    Contexts contexts = store.load();
    Optional<Context> own = contexts.find(context.name()).filter(context::equals);
    if (own.isPresent()) {
      Contexts rest = contexts.without(context.name());
      store.save(
          before != null && rest.current() == null && rest.find(before).isPresent()
              ? rest.select(before)
              : rest);
    }
  }
}
