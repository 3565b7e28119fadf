package io.headgate.kit.grpc;

import io.grpc.ServerServiceDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// Finds the service that a path of the JSON API belongs to, for calls that are refused before they
/// are routed. Only refusals ask, so the search need not be quick.
final class DeniedPaths {
  private final DeniedCalls others;
  private final List<Part> parts = new ArrayList<>();

  private record Part(Pattern path, DeniedCalls calls) {}

  /// @param others of paths that belong to no service, such as pages
  DeniedPaths(DeniedCalls others) {
    this.others = others;
  }

  void add(ServerServiceDefinition service, DeniedCalls calls) {
    service.getMethods().stream()
        .flatMap(method -> JsonPath.of(method.getMethodDescriptor()))
        .forEach(path -> parts.add(new Part(path.path(), calls)));
  }

  DeniedCalls of(String path) {
    return parts.stream()
        .filter(part -> part.path().matcher(path).matches())
        .map(Part::calls)
        .findFirst()
        .orElse(others);
  }
}
