package io.headgate.kit.auth;

import com.google.api.AnnotationsProto;
import com.google.protobuf.DescriptorProtos.MethodOptions;
import io.grpc.MethodDescriptor;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import io.headgate.proto.type.v1.Access;
import io.headgate.proto.type.v1.AccessOuterClass;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/// The access rule that the contract states for a method.
sealed interface AccessRule {
  /// Everybody, without a token.
  record Anonymous() implements AccessRule {}

  /// Callers need a token with one of these roles.
  record Roles(Set<Role> roles) implements AccessRule {
    public Roles {
      roles = Set.copyOf(roles);
    }
  }

  /// The rule that the contract states for `method`. Without a rule no caller may use the method.
  static Optional<AccessRule> of(MethodDescriptor<?, ?> method) {
    if (!(method.getSchemaDescriptor() instanceof ProtoMethodDescriptorSupplier supplier)) {
      return Optional.empty();
    }
    MethodOptions options = supplier.getMethodDescriptor().getOptions();
    if (!options.hasExtension(AccessOuterClass.access)) {
      return Optional.empty();
    }
    Access access = options.getExtension(AccessOuterClass.access);
    if (!isScoped(access)) {
      return Optional.empty();
    }
    if (access.getAnonymous()) {
      return access.getRolesCount() == 0 ? Optional.of(new Anonymous()) : Optional.empty();
    }
    Set<Role> roles = EnumSet.noneOf(Role.class);
    for (io.headgate.proto.type.v1.Role role : access.getRolesList()) {
      switch (role) {
        case ROLE_PLATFORM_OPERATOR -> roles.add(Role.PLATFORM_OPERATOR);
        case ROLE_TENANT_ADMIN -> roles.add(Role.TENANT_ADMIN);
        case ROLE_MEMBER -> roles.add(Role.MEMBER);
        case ROLE_SERVICE_ACCOUNT -> roles.add(Role.SERVICE_ACCOUNT);
        case ROLE_NODE -> roles.add(Role.NODE);
        case ROLE_SERVICE -> roles.add(Role.SERVICE);
        case ROLE_UNSPECIFIED, UNRECOGNIZED -> {
          return Optional.empty();
        }
      }
    }
    return roles.isEmpty() ? Optional.empty() : Optional.of(new Roles(roles));
  }

  /// Whether the rule states what the method is about, so that a handler cannot forget to ask.
  private static boolean isScoped(Access access) {
    return switch (access.getScope()) {
      case SCOPE_OWN, SCOPE_CAPACITY, SCOPE_TENANT, SCOPE_CALLER, SCOPE_INSTALLATION -> true;
      case SCOPE_UNSPECIFIED, UNRECOGNIZED -> false;
    };
  }

  /// Whether `method` changes nothing: a `GET` of the JSON API, or a stream from the server.
  static boolean isRead(MethodDescriptor<?, ?> method) {
    return method.getType() == MethodDescriptor.MethodType.SERVER_STREAMING
        || (method.getSchemaDescriptor() instanceof ProtoMethodDescriptorSupplier supplier
            && !supplier
                .getMethodDescriptor()
                .getOptions()
                .getExtension(AnnotationsProto.http)
                .getGet()
                .isEmpty());
  }
}
