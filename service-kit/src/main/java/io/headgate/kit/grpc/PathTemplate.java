package io.headgate.kit.grpc;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A path of the contract as OpenAPI writes it: `/v1/{name=tenants/*/jobs/*}:cancel` is
/// `/v1/tenants/{tenant}/jobs/{job}:cancel`.
///
/// @param parameters of the path, in their order
/// @param variables fields of the request that the path sets
record PathTemplate(String path, List<String> parameters, List<String> variables) {
  private static final Pattern VARIABLE = Pattern.compile("\\{([^={}]+)(?:=([^{}]+))?\\}");

  static PathTemplate of(String template) {
    List<String> parameters = new ArrayList<>();
    List<String> variables = new ArrayList<>();
    Matcher matcher = VARIABLE.matcher(template);
    StringBuilder path = new StringBuilder();
    while (matcher.find()) {
      variables.add(matcher.group(1));
      String segments = matcher.group(2);
      String written =
          segments == null
              ? parameter(matcher.group(1), parameters)
              : written(segments, parameters);
      matcher.appendReplacement(path, Matcher.quoteReplacement(written));
    }
    matcher.appendTail(path);
    return new PathTemplate(path.toString(), List.copyOf(parameters), List.copyOf(variables));
  }

  /// Each star is named by the word before it.
  private static String written(String segments, List<String> parameters) {
    List<String> parts = new ArrayList<>();
    String before = "name";
    for (String segment : segments.split("/", -1)) {
      parts.add(segment.startsWith("*") ? parameter(singular(before), parameters) : segment);
      before = segment;
    }
    return String.join("/", parts);
  }

  private static String parameter(String wanted, List<String> parameters) {
    String name = wanted;
    for (int i = 2; parameters.contains(name); i++) {
      name = wanted + i;
    }
    parameters.add(name);
    return "{" + name + "}";
  }

  private static String singular(String word) {
    return word.endsWith("ies")
        ? word.substring(0, word.length() - 3) + "y"
        : word.endsWith("s") ? word.substring(0, word.length() - 1) : word;
  }
}
