package io.headgate.kit.grpc;

import com.google.api.AnnotationsProto;
import com.google.api.HttpRule;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.ListValue;
import com.google.protobuf.Message;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.Route;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import io.headgate.kit.failure.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Methods that answer with a stream, as JSON lines over HTTP: one message a line. Path and query
/// give the fields of the request. The call passes the same interceptors as over gRPC.
final class JsonStreams implements HttpService {
  private static final Pattern VARIABLE = Pattern.compile("\\{([a-z_]+)=([^{}]+)\\}");
  private static final List<String> PASSED = List.of("authorization", "traceparent", "tracestate");

  private final ServerMethodDefinition<Message, Message> method;
  private final Message prototype;

  private JsonStreams(ServerMethodDefinition<Message, Message> method, Message prototype) {
    this.method = method;
    this.prototype = prototype;
  }

  /// A stream and where it is served.
  record Place(Route route, HttpService service) {}

  /// The streams of a service, whose definition has all its interceptors.
  static List<Place> of(ServerServiceDefinition service) {
    List<Place> places = new ArrayList<>();
    for (ServerMethodDefinition<?, ?> method : service.getMethods()) {
      var type = method.getMethodDescriptor();
      String path = rule(method).getGet();
      if (type.getType() == MethodType.SERVER_STREAMING && !path.isEmpty()) {
        places.add(
            new Place(
                Route.builder().regex(regex(path)).methods(HttpMethod.GET).build(),
                new JsonStreams(messages(method), prototype(method))));
      }
    }
    return places;
  }

  /// The rules of the methods that answer once, which Armeria serves.
  static List<HttpRule> unaryRules(ServerServiceDefinition service) {
    return service.getMethods().stream()
        .filter(method -> method.getMethodDescriptor().getType() == MethodType.UNARY)
        .filter(method -> !rule(method).equals(HttpRule.getDefaultInstance()))
        .map(method ->
            rule(method).toBuilder()
                .setSelector(method.getMethodDescriptor().getFullMethodName().replace('/', '.'))
                .build())
        .toList();
  }

  private static HttpRule rule(ServerMethodDefinition<?, ?> method) {
    return method.getMethodDescriptor().getSchemaDescriptor()
            instanceof ProtoMethodDescriptorSupplier supplier
        ? supplier.getMethodDescriptor().getOptions().getExtension(AnnotationsProto.http)
        : HttpRule.getDefaultInstance();
  }

  @SuppressWarnings("unchecked") // All methods of the contract exchange messages of protobuf.
  private static ServerMethodDefinition<Message, Message> messages(
      ServerMethodDefinition<?, ?> method) {
    return (ServerMethodDefinition<Message, Message>) method;
  }

  private static Message prototype(ServerMethodDefinition<?, ?> method) {
    return ((io.grpc.MethodDescriptor.PrototypeMarshaller<Message>)
            messages(method).getMethodDescriptor().getRequestMarshaller())
        .getMessagePrototype();
  }

  /// `^/v1/(?<parent>tenants/[^/]+)/jobs:watch$`.
  static String regex(String template) {
    Matcher variable = VARIABLE.matcher(template);
    StringBuilder regex = new StringBuilder("^");
    int from = 0;
    while (variable.find()) {
      regex
          .append(Pattern.quote(template.substring(from, variable.start())))
          .append(
              "(?<%s>%s)".formatted(variable.group(1), variable.group(2).replace("*", "[^/]+")));
      from = variable.end();
    }
    return regex.append(Pattern.quote(template.substring(from))).append('$').toString();
  }

  @Override
  public HttpResponse serve(ServiceRequestContext call, HttpRequest request) {
    Message message;
    try {
      message = request(call);
    } catch (InvalidProtocolBufferException e) {
      return ErrorPages.answer(
          call, Refusal.invalid("MALFORMED_REQUEST", String.valueOf(e.getMessage())));
    }
    call.clearRequestTimeout();
    CompletableFuture<HttpResponse> response = new CompletableFuture<>();
    Executor inOrder = MoreExecutors.newSequentialExecutor(call.blockingTaskExecutor());
    JsonStreamCall stream = new JsonStreamCall(method.getMethodDescriptor(), response, inOrder);
    Metadata headers = headers(request);
    inOrder.execute(() -> start(stream, message, headers));
    var _ = call.log().whenComplete().thenRun(() -> inOrder.execute(stream::left));
    return HttpResponse.of(response);
  }

  private void start(JsonStreamCall stream, Message message, Metadata headers) {
    try {
      ServerCall.Listener<Message> listener =
          method.getServerCallHandler().startCall(stream, headers);
      stream.listen(listener);
      listener.onMessage(message);
      listener.onHalfClose();
      listener.onReady();
    } catch (RuntimeException | Error e) {
      stream.close(Status.fromThrowable(e), new Metadata());
    }
  }

  private static Metadata headers(HttpRequest request) {
    Metadata headers = new Metadata();
    for (String name : PASSED) {
      String value = request.headers().get(HttpHeaderNames.of(name));
      if (value != null) {
        headers.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value);
      }
    }
    return headers;
  }

  /// The request that path and query describe.
  private Message request(ServiceRequestContext call) throws InvalidProtocolBufferException {
    Struct.Builder fields = Struct.newBuilder();
    for (Map.Entry<String, List<String>> parameter : parameters(call).toList()) {
      put(fields, prototype.getDescriptorForType(), parameter.getKey(), parameter.getValue());
    }
    call.pathParams().forEach((name, value) -> fields.putFields(name, text(value)));
    Message.Builder message = prototype.newBuilderForType();
    JsonFormat.parser().merge(JsonFormat.printer().print(fields), message);
    return message.build();
  }

  private static Stream<Map.Entry<String, List<String>>> parameters(ServiceRequestContext call) {
    var query = call.queryParams();
    return query.names().stream().map(name -> Map.entry(name, query.getAll(name)));
  }

  /// Puts `filter.queues=a` where JSON has it.
  private static void put(Struct.Builder fields, Descriptor type, String name, List<String> values)
      throws InvalidProtocolBufferException {
    int dot = name.indexOf('.');
    String first = dot < 0 ? name : name.substring(0, dot);
    FieldDescriptor field =
        field(type, first)
            .orElseThrow(() ->
                new InvalidProtocolBufferException(
                    "the parameter %s is no field of %s; fields: %s"
                        .formatted(
                            name,
                            type.getName(),
                            String.join(
                                ", ",
                                type.getFields().stream()
                                    .map(FieldDescriptor::getJsonName)
                                    .toList()))));
    String key = field.getJsonName();
    boolean isMessage = field.getJavaType() == JavaType.MESSAGE;
    if (dot >= 0 && isMessage && !field.isRepeated()) {
      Struct.Builder inner =
          fields.getFieldsOrDefault(key, Value.getDefaultInstance()).getStructValue().toBuilder();
      put(inner, field.getMessageType(), name.substring(dot + 1), values);
      fields.putFields(key, Value.newBuilder().setStructValue(inner).build());
    } else if (field.isRepeated()) {
      ListValue.Builder all = ListValue.newBuilder();
      values.forEach(value -> all.addValues(text(value)));
      fields.putFields(key, Value.newBuilder().setListValue(all).build());
    } else {
      fields.putFields(key, text(values.getLast()));
    }
  }

  private static Optional<FieldDescriptor> field(Descriptor type, String name) {
    return type.getFields().stream()
        .filter(field -> field.getName().equals(name) || field.getJsonName().equals(name))
        .findFirst();
  }

  private static Value text(String value) {
    return Value.newBuilder().setStringValue(value).build();
  }
}
