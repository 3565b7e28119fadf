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

/// The rules that the contract declares on the fields of messages, and one that all of them share:
/// no text holds a NUL, which PostgreSQL and every C program that gets to see it read as its end.
/// The server holds every request to them; a handler does so itself with what a masked update makes
/// of a resource, because the update alone need not be whole. Thread-safe.
public final class MessageRules {
  private static final String NUL =
      "holds a NUL character (U+0000), which no text may have: leave it out";

  /// Nobody reads more; a hostile request shall not make a huge answer.
  private static final int MAX_TOLD = 100;

  private final Validator validator;

  private record Broken(String path, String what) {}

  /// Compiles the rules of `messages`, so that one that makes no sense stops the start and not the
  /// first call.
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

  /// Refuses `message` with everything that is wrong with it.
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

  /// A text with a NUL makes a zero byte, which most messages have nowhere. Looking is much cheaper
  /// than walking through all fields.
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
    return refusal;
  }

  /// The field as a client writes it: `spec.workers[2].env["PATH"]`.
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
