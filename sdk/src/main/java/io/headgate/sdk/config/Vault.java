package io.headgate.sdk.config;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What jobs of groups may run, and environment that they get. The order of its lists means
/// nothing.
///
/// @param groups empty: all of the tenant
/// @param images patterns; empty: all
/// @param requireImage jobs name an image
/// @param requireDigest jobs name their image by its digest
/// @param commands patterns of how commands may begin; empty: all
/// @param environment by name
/// @param environmentHidden its values are left out, because who read it is no admin
public record Vault(
    String name,
    List<String> groups,
    List<String> images,
    boolean requireImage,
    boolean requireDigest,
    List<String> commands,
    SortedMap<String, String> environment,
    boolean environmentHidden,
    @Nullable String description) {
  public Vault {
    groups = List.copyOf(groups);
    images = List.copyOf(images);
    commands = List.copyOf(commands);
    environment = Collections.unmodifiableSortedMap(new TreeMap<>(environment));
  }

  /// The same, as who is no admin sees it.
  Vault hidden() {
    return new Vault(
        name,
        groups,
        images,
        requireImage,
        requireDigest,
        commands,
        environment,
        true,
        description);
  }
}
