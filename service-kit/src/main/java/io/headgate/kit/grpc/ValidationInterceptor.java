package io.headgate.kit.grpc;

import build.buf.protovalidate.Config;
import build.buf.protovalidate.ValidationResult;
import build.buf.protovalidate.Validator;
import build.buf.protovalidate.ValidatorFactory;
import build.buf.protovalidate.exceptions.CompilationException;
import build.buf.protovalidate.exceptions.ValidationException;
import build.buf.validate.FieldPathElement;
import build.buf.validate.Violation;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCall.Listener;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.headgate.kit.failure.Refusal;
import java.util.List;

/// Holds every message of a client to the rules that the contract declares on its fields; all that
/// are broken are reported at once. The rules of the messages known at start are compiled then, so
/// a rule that makes no sense stops the start and not the first call.
final class ValidationInterceptor implements ServerInterceptor {
  private final Validator validator;

  ValidationInterceptor(List<Descriptor> requests) {
    try {
      this.validator =
          ValidatorFactory.newBuilder()
              .withConfig(Config.newBuilder().setEnableNativeRules(true).build())
              .buildWithDescriptors(requests, false);
    } catch (CompilationException e) {
      throw new IllegalStateException("a validation rule of the contract is wrong", e);
    }
  }

  @Override
  public <ReqT, RespT> Listener<ReqT> interceptCall(
      ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
    return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
      @Override
      public void onMessage(ReqT message) {
        if (message instanceof Message request) {
          validate(request);
        }
        super.onMessage(message);
      }
    };
  }

  private void validate(Message request) {
    ValidationResult result;
    try {
      result = validator.validate(request);
    } catch (ValidationException e) {
      throw new IllegalStateException("cannot evaluate a validation rule of the contract", e);
    }
    if (result.isSuccess()) {
      return;
    }
    List<Violation> violations = result.toProto().getViolationsList();
    Violation first = violations.getFirst();
    String others = violations.size() == 1 ? "" : " (and " + (violations.size() - 1) + " more)";
    Refusal refusal =
        Refusal.invalid("INVALID_FIELD", path(first) + ": " + first.getMessage() + others);
    for (Violation violation : violations) {
      refusal = refusal.withViolation(path(violation), violation.getMessage());
    }
    throw refusal.exception();
  }

  /// The field as a client writes it: `spec.workers[2].env["PATH"]`.
  private static String path(Violation violation) {
    StringBuilder path = new StringBuilder();
    for (FieldPathElement element : violation.getField().getElementsList()) {
      if (!path.isEmpty()) {
        path.append('.');
      }
      path.append(element.getFieldName());
      switch (element.getSubscriptCase()) {
        case INDEX -> path.append('[').append(element.getIndex()).append(']');
        case BOOL_KEY -> path.append('[').append(element.getBoolKey()).append(']');
        case INT_KEY -> path.append('[').append(element.getIntKey()).append(']');
        case UINT_KEY ->
            path.append('[').append(Long.toUnsignedString(element.getUintKey())).append(']');
        case STRING_KEY -> path.append("[\"").append(element.getStringKey()).append("\"]");
        case SUBSCRIPT_NOT_SET -> {
          // A plain field.
        }
      }
    }
    return path.isEmpty() ? "(message)" : path.toString();
  }
}
