package io.headgate.kit.grpc;

import com.google.api.AnnotationsProto;
import com.google.api.HttpRule;
import io.grpc.MethodDescriptor;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Where a method is served as JSON.
///
/// @param verb of HTTP, such as `POST`
/// @param path matches all paths of the method
record JsonPath(String verb, Pattern path) {

  /// All places of a method; none if it is served by gRPC only.
  static Stream<JsonPath> of(MethodDescriptor<?, ?> method) {
    if (!(method.getSchemaDescriptor() instanceof ProtoMethodDescriptorSupplier supplier)) {
      return Stream.empty();
    }
    HttpRule rule = supplier.getMethodDescriptor().getOptions().getExtension(AnnotationsProto.http);
    return Stream.concat(Stream.of(rule), rule.getAdditionalBindingsList().stream())
        .flatMap(each ->
            switch (each.getPatternCase()) {
              case GET -> of("GET", each.getGet());
              case PUT -> of("PUT", each.getPut());
              case POST -> of("POST", each.getPost());
              case DELETE -> of("DELETE", each.getDelete());
              case PATCH -> of("PATCH", each.getPatch());
              case CUSTOM -> of(each.getCustom().getKind(), each.getCustom().getPath());
              case PATTERN_NOT_SET -> Stream.empty();
            });
  }

  private static Stream<JsonPath> of(String verb, String template) {
    return template.isEmpty() ? Stream.empty() : Stream.of(new JsonPath(verb, pattern(template)));
  }

  boolean matches(String otherVerb, String otherPath) {
    return verb.equals(otherVerb) && path.matcher(otherPath).matches();
  }

  /// The paths of a template such as `/v1/{name=tenants/*}:verb`.
  static Pattern pattern(String template) {
    String paths =
        template.replaceAll("\\{[^={}]+=([^{}]+)\\}", "$1").replaceAll("\\{[^{}]+\\}", "*");
    StringBuilder regex = new StringBuilder();
    for (String part : paths.split("(?<=\\*)(?!\\*)|(?<!\\*)(?=\\*)", -1)) {
      regex.append(
          switch (part) {
            case "*" -> "[^/]+";
            case "**" -> ".+";
            default -> Pattern.quote(part);
          });
    }
    return Pattern.compile(regex.toString());
  }
}
