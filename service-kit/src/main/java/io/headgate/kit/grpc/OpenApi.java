package io.headgate.kit.grpc;

import com.google.api.AnnotationsProto;
import com.google.api.HttpRule;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import io.grpc.ServerServiceDefinition;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import io.headgate.kit.auth.AuthInterceptor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/// The description of the JSON API as OpenAPI 3.1, from the contract that the server serves: each
/// method with a path, its parameters, its body and its answer.
final class OpenApi {
  private static final String TEXT = "string";

  /// Messages whose JSON is no object of their fields.
  private static final Map<String, Struct> WELL_KNOWN =
      Map.of(
          "google.protobuf.Timestamp", object("type", TEXT, "format", "date-time"),
          "google.protobuf.Duration", object("type", TEXT, "examples", List.of("90s", "1.500s")),
          "google.protobuf.FieldMask", object("type", TEXT, "examples", List.of("a,b.c")),
          "google.protobuf.Struct", object("type", "object"),
          "google.protobuf.Value", object(),
          "google.protobuf.Any",
              object("type", "object", "properties", object("@type", object("type", TEXT))));

  private final SortedMap<String, Struct> schemas = new TreeMap<>();
  private final SortedMap<String, Map<String, Object>> paths = new TreeMap<>();

  private OpenApi() {}

  /// The document of these services, as JSON.
  static String of(List<ServerServiceDefinition> services) {
    OpenApi api = new OpenApi();
    for (ServerServiceDefinition service : services) {
      service.getMethods().forEach(method -> api.add(method.getMethodDescriptor()));
    }
    return api.print();
  }

  private String print() {
    Map<String, Object> all = new LinkedHashMap<>();
    paths.forEach((path, verbs) -> all.put(path, object(verbs)));
    message(com.google.rpc.Status.getDescriptor());
    Struct document =
        object(
            "openapi",
            "3.1.0",
            "info",
            object("title", "Headgate", "version", "v1"),
            "paths",
            object(all),
            "components",
            object(
                "schemas",
                object(new LinkedHashMap<>(schemas)),
                "securitySchemes",
                object("token", object("type", "http", "scheme", "bearer"))));
    try {
      return JsonFormat.printer().sortingMapKeys().print(document) + "\n";
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(e);
    }
  }

  private void add(io.grpc.MethodDescriptor<?, ?> method) {
    if (!(method.getSchemaDescriptor() instanceof ProtoMethodDescriptorSupplier supplier)) {
      return;
    }
    MethodDescriptor described = supplier.getMethodDescriptor();
    HttpRule rule = described.getOptions().getExtension(AnnotationsProto.http);
    List<HttpRule> rules =
        Stream.concat(Stream.of(rule), rule.getAdditionalBindingsList().stream()).toList();
    for (int i = 0; i < rules.size(); i++) {
      HttpRule each = rules.get(i);
      String id = described.getFullName() + (i == 0 ? "" : "_" + i);
      boolean open = AuthInterceptor.isAnonymous(method);
      switch (each.getPatternCase()) {
        case GET -> add("get", each.getGet(), each, described, id, open);
        case PUT -> add("put", each.getPut(), each, described, id, open);
        case POST -> add("post", each.getPost(), each, described, id, open);
        case DELETE -> add("delete", each.getDelete(), each, described, id, open);
        case PATCH -> add("patch", each.getPatch(), each, described, id, open);
        case CUSTOM, PATTERN_NOT_SET -> {
          // OpenAPI has no other verbs.
        }
      }
    }
  }

  private void add(
      String verb,
      String template,
      HttpRule rule,
      MethodDescriptor method,
      String id,
      boolean open) {
    PathTemplate path = PathTemplate.of(template);
    List<Struct> parameters = new ArrayList<>();
    for (String name : path.parameters()) {
      parameters.add(
          object("name", name, "in", "path", "required", true, "schema", object("type", TEXT)));
    }
    Map<String, Object> operation = new LinkedHashMap<>();
    operation.put("operationId", id);
    operation.put("tags", List.of(method.getService().getName()));
    if (rule.getBody().isEmpty()) {
      query("", method.getInputType(), path, parameters);
    } else {
      operation.put(
          "requestBody", object("required", true, "content", content(body(rule, method))));
    }
    operation.put("parameters", parameters);
    operation.put(
        "responses",
        object(
            "200",
            object("description", "The answer.", "content", answer(method)),
            "default",
            object(
                "description",
                "A refusal, with its reason.",
                "content",
                content(message(com.google.rpc.Status.getDescriptor())))));
    operation.put("security", open ? List.of() : List.of(object("token", List.of())));
    paths.computeIfAbsent(path.path(), _ -> new TreeMap<>()).put(verb, object(operation));
  }

  private Struct body(HttpRule rule, MethodDescriptor method) {
    Descriptor input = method.getInputType();
    return rule.getBody().equals("*")
        ? message(input)
        : schema(input.findFieldByName(rule.getBody()));
  }

  /// Single values, and those of messages within, by their path.
  private void query(
      String prefix, Descriptor message, PathTemplate path, List<Struct> parameters) {
    for (FieldDescriptor field : message.getFields()) {
      boolean isPlain =
          field.getJavaType() != JavaType.MESSAGE
              || WELL_KNOWN.containsKey(field.getMessageType().getFullName());
      if (path.variables().contains(prefix + field.getName()) || field.isMapField()) {
        continue;
      }
      if (isPlain) {
        parameters.add(
            object("name", prefix + field.getJsonName(), "in", "query", "schema", schema(field)));
      } else if (prefix.isEmpty() && !field.isRepeated()) {
        query(field.getJsonName() + ".", field.getMessageType(), path, parameters);
      }
    }
  }

  private Struct schema(FieldDescriptor field) {
    if (field.isMapField()) {
      FieldDescriptor value = field.getMessageType().findFieldByName("value");
      return object("type", "object", "additionalProperties", single(value));
    }
    return field.isRepeated() ? object("type", "array", "items", single(field)) : single(field);
  }

  private Struct single(FieldDescriptor field) {
    return switch (field.getJavaType()) {
      case STRING -> object("type", TEXT);
      case BOOLEAN -> object("type", "boolean");
      case INT -> object("type", "integer", "format", "int32");
      // JSON's numbers are too small for it.
      case LONG -> object("type", TEXT, "format", "int64");
      case FLOAT, DOUBLE -> object("type", "number");
      case BYTE_STRING -> object("type", TEXT, "contentEncoding", "base64");
      case ENUM ->
          object(
              "type",
              TEXT,
              "enum",
              field.getEnumType().getValues().stream().map(value -> value.getName()).toList());
      case MESSAGE -> message(field.getMessageType());
    };
  }

  /// A reference to the schema of the message, which is added once.
  private Struct message(Descriptor message) {
    String name = message.getFullName();
    Struct known = WELL_KNOWN.get(name);
    if (known != null) {
      return known;
    }
    if (!schemas.containsKey(name)) {
      schemas.put(name, object()); // It may refer to itself.
      Map<String, Object> fields = new LinkedHashMap<>();
      message.getFields().forEach(field -> fields.put(field.getJsonName(), schema(field)));
      schemas.put(name, object("type", "object", "properties", object(fields)));
    }
    return object("$ref", "#/components/schemas/" + name);
  }

  /// A stream answers with one message a line.
  private Struct answer(MethodDescriptor method) {
    Struct schema = message(method.getOutputType());
    return method.isServerStreaming()
        ? object("application/x-ndjson", object("schema", schema))
        : content(schema);
  }

  private static Struct content(Struct schema) {
    return object("application/json", object("schema", schema));
  }

  /// An object of names and values in turn.
  private static Struct object(Object... pairs) {
    Map<String, Object> fields = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      fields.put(pairs[i].toString(), pairs[i + 1]);
    }
    return object(fields);
  }

  private static Struct object(Map<String, ?> fields) {
    Struct.Builder object = Struct.newBuilder();
    fields.forEach((name, value) -> object.putFields(name, value(value)));
    return object.build();
  }

  private static Value value(Object value) {
    return switch (value) {
      case Struct struct -> Value.newBuilder().setStructValue(struct).build();
      case Boolean truth -> Value.newBuilder().setBoolValue(truth).build();
      case List<?> list -> {
        ListValue.Builder values = ListValue.newBuilder();
        list.forEach(each -> values.addValues(value(each)));
        yield Value.newBuilder().setListValue(values).build();
      }
      default -> Value.newBuilder().setStringValue(value.toString()).build();
    };
  }
}
