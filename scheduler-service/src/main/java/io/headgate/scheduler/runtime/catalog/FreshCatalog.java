package io.headgate.scheduler.runtime.catalog;

import java.util.Set;

/// What was provisioned and who might use it when a caller asked.
///
/// @param silent names of the sources that could not be asked: of these it is what was known before
public record FreshCatalog(CatalogView catalog, Set<String> silent) {
  public FreshCatalog {
    silent = Set.copyOf(silent);
  }
}
