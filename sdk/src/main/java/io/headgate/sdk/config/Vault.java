package io.headgate.sdk.config;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Images and commands that jobs of groups may use, and environment variables that they get. The
/// order of its lists has no meaning.
///
/// @param groups empty: all groups of the tenant
/// @param images patterns; empty: all
/// @param requireImage jobs must name an image
/// @param requireDigest jobs must name their image by its digest
/// @param commands patterns of how commands may begin; empty: all
/// @param environment by name
/// @param environmentHidden the values are left out, because the reader is no admin
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

  Vault withEnvironmentOf(Vault other) {
    return new Vault(
        name,
        groups,
        images,
        requireImage,
        requireDigest,
        commands,
        other.environment,
        other.environmentHidden,
        description);
  }

  /// The vault without the values of its environment, for readers that are no admins.
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
