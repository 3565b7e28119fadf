package io.headgate.kit.testing;

import io.grpc.MethodDescriptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import io.headgate.proto.type.v1.Access;
import io.headgate.proto.type.v1.AccessOuterClass;
import io.headgate.proto.type.v1.Role;
import io.headgate.proto.type.v1.Scope;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.function.Executable;

/// One test for each method that shows or changes something of a tenant to its members. A service
/// says how it is tested; a method without a test fails. So a new RPC cannot be forgotten.
///
/// ```java
/// new ScopeMatrix().with(JobServiceGrpc.getGetJobMethod(), () -> …).tests(server.services())
/// ```
public final class ScopeMatrix {
  private final Map<String, Executable> checks = new HashMap<>();

  /// States how the method is tested.
  public ScopeMatrix with(MethodDescriptor<?, ?> method, Executable check) {
    if (checks.put(method.getFullMethodName(), check) != null) {
      throw new IllegalArgumentException(method.getFullMethodName() + " has a test");
    }
    return this;
  }

  /// The tests of all methods of the services that members may call, by name.
  public Stream<DynamicTest> tests(Collection<ServerServiceDefinition> services) {
    List<DynamicTest> tests = new ArrayList<>();
    Map<String, Executable> left = new HashMap<>(checks);
    for (ServerServiceDefinition service : services) {
      for (ServerMethodDefinition<?, ?> method : service.getMethods()) {
        String name = method.getMethodDescriptor().getFullMethodName();
        Executable check = left.remove(name);
        if (check != null) {
          tests.add(DynamicTest.dynamicTest(name, check));
        } else if (needsCheck(method.getMethodDescriptor())) {
          tests.add(
              DynamicTest.dynamicTest(
                  name,
                  () -> {
                    throw new AssertionError(
                        name + " has no test that members see only what is theirs");
                  }));
        }
      }
    }
    if (!left.isEmpty()) {
      throw new IllegalArgumentException("not served: " + left.keySet());
    }
    return tests.stream();
  }

  private static boolean needsCheck(MethodDescriptor<?, ?> method) {
    if (!(method.getSchemaDescriptor() instanceof ProtoMethodDescriptorSupplier supplier)) {
      return false;
    }
    Access access =
        supplier.getMethodDescriptor().getOptions().getExtension(AccessOuterClass.access);
    boolean isOfTenant =
        List.of(Scope.SCOPE_OWN, Scope.SCOPE_CAPACITY, Scope.SCOPE_TENANT)
            .contains(access.getScope());
    return isOfTenant && access.getRolesList().contains(Role.ROLE_MEMBER);
  }
}
