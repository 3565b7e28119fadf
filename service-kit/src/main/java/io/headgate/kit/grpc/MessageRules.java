package io.headgate.kit.grpc;

import build.buf.protovalidate.Config;
import build.buf.protovalidate.ValidationResult;
import build.buf.protovalidate.Validator;
import build.buf.protovalidate.ValidatorFactory;
import build.buf.protovalidate.Violation;
import build.buf.protovalidate.exceptions.CompilationException;
import build.buf.protovalidate.exceptions.ValidationException;
import build.buf.validate.FieldPathElement;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import io.headgate.kit.failure.Refusal;
import java.util.ArrayList;
import java.util.List;

/// The rules that the contract declares on the fields of messages, and one for all texts: no NUL.
/// PostgreSQL and C programs would take a NUL for the end of the text. The server checks every
/// request. A handler also checks the resource that a masked update yields, because the update
/// alone may be partial. Thread-safe.
public final class MessageRules {
  private static final String NUL =
      "holds a NUL character (U+0000), which no text may have: leave it out";

  /// Violations reported per request; it bounds the work for a hostile request. The answer names
  /// the first of them.
  private static final int MAX_TOLD = 100;

  private final Validator validator;

  private record Broken(String path, String what) {}

  /// Compiles the rules of `messages`, so that an invalid rule fails the start and not the first
  /// call.
  public MessageRules(List<Descriptor> messages) {
    try {
      this.validator =
          ValidatorFactory.newBuilder()
              .withConfig(Config.newBuilder().setEnableNativeRules(true).build())
              .buildWithDescriptors(messages, false);
    } catch (CompilationException e) {
      throw new IllegalStateException("a validation rule of the contract is wrong", e);
    }
  }

  /// Checks `message` and refuses it with all its violations.
  ///
  /// @param field of the request that holds it; empty for the request itself
  /// @throws io.headgate.kit.failure.RefusalException INVALID_ARGUMENT with reason INVALID_FIELD
  public void require(String field, Message message) {
    ValidationResult result;
    try {
      result = validator.validate(message);
    } catch (ValidationException e) {
      throw new IllegalStateException("cannot evaluate a validation rule of the contract", e);
    }
    List<Broken> broken = new ArrayList<>();
    if (mayHoldNul(message)) {
      NulSearch.in(message, path -> broken.add(new Broken(NulSearch.path(field, path), NUL)));
    }
    if (!result.isSuccess()) {
      for (Violation violation : result.getViolations()) {
        broken.add(new Broken(path(field, violation.toProto()), PatternWords.message(violation)));
      }
    }
    if (!broken.isEmpty()) {
      throw refusal(broken).exception();
    }
  }

  /// A NUL in a text is a zero byte, which most encoded messages lack. Searching bytes is much
  /// cheaper than visiting all fields.
  private static boolean mayHoldNul(Message message) {
    for (byte each : message.toByteArray()) {
      if (each == 0) {
        return true;
      }
    }
    return false;
  }

  private static Refusal refusal(List<Broken> broken) {
    Broken first = broken.getFirst();
    String others = broken.size() == 1 ? "" : " (and " + (broken.size() - 1) + " more)";
    Refusal refusal = Refusal.invalid("INVALID_FIELD", first.path() + ": " + first.what() + others);
    for (Broken each : broken.subList(0, Math.min(MAX_TOLD, broken.size()))) {
      refusal = refusal.withViolation(each.path(), each.what());
    }
    return broken.size() > MAX_TOLD
        ? refusal.withOmittedViolations(broken.size() - MAX_TOLD)
        : refusal;
  }

  /// The field in the notation of clients: `spec.workers[2].env["PATH"]`.
  private static String path(String field, build.buf.validate.Violation violation) {
    StringBuilder path = new StringBuilder(field);
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
