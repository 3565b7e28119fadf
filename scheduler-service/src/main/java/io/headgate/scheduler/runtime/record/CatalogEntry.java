package io.headgate.scheduler.runtime.record;

/// A part of a watched catalog as its service sent it, kept so that a restart works while that
/// service is away. Only the source that sent it reads the document.
///
/// @param key resource name of the described object
public record CatalogEntry(String key, Document document) {}
