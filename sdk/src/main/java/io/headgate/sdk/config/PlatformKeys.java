package io.headgate.sdk.config;

import io.headgate.sdk.config.FileKey.IntegerKey;
import io.headgate.sdk.config.FileKey.PlainKey;
import io.headgate.sdk.config.FileKey.Section;
import java.util.List;

/// The keys of a platform file. Its pools have the keys of a configuration file.
final class PlatformKeys {
  static final Section TOP =
      Section.of(
          "",
          "The file describes the pools that several tenants share. Only platform operators apply it.",
          ConfigurationKeys.API_VERSION,
          new PlainKey(
              "kind", "text", FileKey.REQUIRED, Configuration.PLATFORM_KIND, "Kind of the file."),
          FileKey.list(
              "pools", "Shared hardware; profiles of tenants name a pool as `platform/NAME`."),
          FileKey.list("tenants", "The part that each tenant has of the pools."));

  static final IntegerKey WEIGHT =
      new IntegerKey(
          "weight", 1, 1, 10_000, "Share of idle capacity above reservations among tenants.");

  static final Section TENANTS =
      Section.of(
          "tenants[]",
          "A tenant's part of shared pools. A tenant without one in a pool reserves nothing there and"
              + " has no limit.",
          FileKey.of("name", "name", FileKey.REQUIRED, "Name of the tenant, which exists."),
          FileKey.references(
              "pools",
              "pools",
              FileKey.REQUIRED,
              "Shared pools; the other values count for each of them."),
          FileKey.of(
              "reservation",
              ConfigurationKeys.QUANTITY,
              "0",
              "GPUs that the tenant gets back from other tenants on demand."),
          FileKey.of("limit", ConfigurationKeys.QUANTITY, "", "Most GPUs that the tenant may use."),
          WEIGHT);

  /// All sections of its own, in the order of a file.
  static final List<Section> ALL = List.of(TOP, TENANTS);

  private PlatformKeys() {}
}
