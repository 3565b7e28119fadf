package io.headgate.deploy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.Annotation;
import java.lang.classfile.AnnotationValue;
import java.lang.classfile.AttributedElement;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.constantpool.LoadableConstantEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.MethodHandleEntry;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// The compiled test classes of all modules.
final class TestClasses {
  private static final Set<String> TESTS =
      Set.of("Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate");

  /// Deeper calls belong to fixtures and not to the test's subject.
  private static final int DEPTH = 3;

  private final Map<String, ClassModel> classes = new HashMap<>();

  private TestClasses() {}

  /// A test as its class file declares it.
  ///
  /// @param tags of the method and its class
  /// @param conditions annotations that may skip the test
  record Declared(String className, Set<String> tags, Set<String> conditions, boolean asserts) {}

  /// @param modules the directory with the modules
  static TestClasses in(Path modules) throws IOException {
    TestClasses found = new TestClasses();
    for (Path built : built(modules)) {
      try (Stream<Path> files = Files.walk(built)) {
        files.filter(file -> file.toString().endsWith(".class")).forEach(found::add);
      }
    }
    return found;
  }

  private static List<Path> built(Path modules) throws IOException {
    try (Stream<Path> all = Files.list(modules)) {
      return all.map(module -> module.resolve("target/test-classes"))
          .filter(Files::isDirectory)
          .toList();
    }
  }

  private void add(Path file) {
    try {
      ClassModel model = ClassFile.of().parse(file);
      classes.put(model.thisClass().asInternalName(), model);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Whether a module has a test class of this name.
  boolean contains(String simpleName) {
    return classes.keySet().stream().anyMatch(name -> name.endsWith("/" + simpleName));
  }

  /// The tests of this name; several modules may have a class of this name.
  List<Declared> named(String simpleName, String method) {
    List<Declared> found = new ArrayList<>();
    for (ClassModel model : classes.values()) {
      String name = model.thisClass().asInternalName();
      if (name.endsWith("/" + simpleName)) {
        model.methods().stream()
            .filter(candidate -> candidate.methodName().equalsString(method))
            .filter(TestClasses::isTest)
            .forEach(test -> found.add(declared(model, test)));
      }
    }
    return found;
  }

  private static boolean isTest(MethodModel method) {
    return annotations(method).stream().anyMatch(annotation -> TESTS.contains(word(annotation)));
  }

  private Declared declared(ClassModel model, MethodModel test) {
    Set<String> tags = new HashSet<>();
    Set<String> conditions = new HashSet<>();
    for (AttributedElement element : List.of(model, test)) {
      for (Annotation annotation : annotations(element)) {
        if (word(annotation).equals("Tag")) {
          annotation.elements().forEach(value -> tags.add(text(value.value())));
        } else if (word(annotation).matches("Disabled.*|Enabled.*")) {
          conditions.add(word(annotation));
        }
      }
    }
    return new Declared(
        model.thisClass().asInternalName().replace('/', '.'),
        tags,
        conditions,
        asserts(model.thisClass().asInternalName(), test, DEPTH, new HashSet<>()));
  }

  private static String text(AnnotationValue value) {
    return value instanceof AnnotationValue.OfString string ? string.stringValue() : "";
  }

  private static List<Annotation> annotations(AttributedElement element) {
    return element
        .findAttribute(Attributes.runtimeVisibleAnnotations())
        .map(found -> found.annotations())
        .orElse(List.of());
  }

  private static String word(Annotation annotation) {
    String type = annotation.classSymbol().displayName();
    return type.substring(type.lastIndexOf('.') + 1);
  }

  /// Whether the method, or a method that it calls, makes an assertion. Waiting counts only in the
  /// test's own class, because fixtures wait for the programs that they start.
  ///
  /// @param test the internal name of the test's class
  /// @param depth how many calls into other classes are followed
  private boolean asserts(String test, MethodModel method, int depth, Set<String> seen) {
    String owner = method.parent().orElseThrow().thisClass().asInternalName();
    if (!seen.add(owner + "." + method.methodName() + method.methodType())) {
      return false;
    }
    for (MemberRefEntry called : called(method)) {
      String type = called.owner().asInternalName();
      if (type.startsWith("org/assertj/")
          || type.equals("java/lang/AssertionError")
          || (type.startsWith("org/awaitility/") && isOf(owner, test))) {
        return true;
      }
      int left = isOf(type, owner) ? depth : depth - 1;
      Optional<MethodModel> next = left < 0 ? Optional.empty() : method(called);
      if (next.isPresent() && asserts(test, next.get(), left, seen)) {
        return true;
      }
    }
    return false;
  }

  /// Whether a class is the other one, or nested in it.
  private static boolean isOf(String type, String other) {
    return type.equals(other) || type.startsWith(other + "$") || other.startsWith(type + "$");
  }

  private Optional<MethodModel> method(MemberRefEntry called) {
    return Optional.ofNullable(classes.get(called.owner().asInternalName())).stream()
        .flatMap(model -> model.methods().stream())
        .filter(method -> method.methodName().equals(called.name()))
        .filter(method -> method.methodType().equals(called.type()))
        .findFirst();
  }

  /// The methods that a method calls, or uses in a lambda or a method reference.
  private static List<MemberRefEntry> called(MethodModel method) {
    List<MemberRefEntry> called = new ArrayList<>();
    method
        .code()
        .ifPresent(code ->
            code.forEach(element -> {
              switch (element) {
                case InvokeInstruction call -> called.add(call.method());
                case InvokeDynamicInstruction dynamic -> {
                  for (LoadableConstantEntry argument :
                      dynamic.invokedynamic().bootstrap().arguments()) {
                    if (argument instanceof MethodHandleEntry handle) {
                      called.add(handle.reference());
                    }
                  }
                }
                default -> {
                  // Calls nothing.
                }
              }
            }));
    return called;
  }
}
