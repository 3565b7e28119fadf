package io.headgate.agent.driver.nvml;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.nio.charset.StandardCharsets;

/// Some structures of one layout, one after the other, in native memory that begins as zeros.
final class Struct {
  private final Layout layout;
  private final Memory memory;

  private Struct(Layout layout, int count) {
    this.layout = layout;
    this.memory = new Memory((long) layout.bytes() * count);
    memory.clear();
    if (layout.version() != 0) {
      memory.setInt(layout.offset("version"), layout.version());
    }
  }

  static Struct one(Layout layout) {
    return new Struct(layout, 1);
  }

  static Struct array(Layout layout, int count) {
    return new Struct(layout, count);
  }

  Pointer pointer() {
    return memory;
  }

  int u32(String field) {
    return u32(0, field);
  }

  int u32(int index, String field) {
    return memory.getInt(at(index, field));
  }

  long u64(String field) {
    return u64(0, field);
  }

  long u64(int index, String field) {
    return memory.getLong(at(index, field));
  }

  Pointer pointer(String field) {
    return memory.getPointer(at(0, field));
  }

  String text(String field) {
    return memory.getString(at(0, field), StandardCharsets.UTF_8.name());
  }

  Struct set(String field, int value) {
    memory.setInt(at(0, field), value);
    return this;
  }

  Struct set(String field, long value) {
    memory.setLong(at(0, field), value);
    return this;
  }

  /// @param value has to stay reachable for as long as the structure is used
  Struct set(String field, Pointer value) {
    memory.setPointer(at(0, field), value);
    return this;
  }

  /// A structure that lies inside this one.
  int nested(String field, Layout inner, String innerField) {
    return memory.getInt((long) at(0, field) + inner.offset(innerField));
  }

  private int at(int index, String field) {
    return index * layout.bytes() + layout.offset(field);
  }
}
