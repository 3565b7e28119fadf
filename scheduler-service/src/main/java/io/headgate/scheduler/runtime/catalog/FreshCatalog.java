package io.headgate.scheduler.runtime.catalog;

import java.util.Set;

/// The catalog as its sources reported it when a caller asked.
///
/// @param silent names of the sources that did not answer; their part of the catalog is the last
///   known
public record FreshCatalog(CatalogView catalog, Set<String> silent) {
  public FreshCatalog {
    silent = Set.copyOf(silent);
  }
}
