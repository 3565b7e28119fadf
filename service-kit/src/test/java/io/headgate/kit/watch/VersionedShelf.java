package io.headgate.kit.watch;

import io.headgate.kit.proto.test.v1.Book;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Books with versions in memory: what a service keeps in its database. A message's pages are its
/// version, its chapters all that changed, with `*` first in a snapshot.
final class VersionedShelf implements WatchSource<Book> {
  private final TreeMap<Long, String> log = new TreeMap<>();
  private final Map<String, Long> books = new HashMap<>();
  private final Map<Long, Map<String, Long>> history = new HashMap<>();
  private long version;

  /// Writes a book; the version of the commit.
  synchronized long put(String id) {
    version++;
    books.put(id, version);
    log.put(version, id);
    history.put(version, Map.copyOf(books));
    return version;
  }

  /// Forgets which books changed up to `horizon`.
  synchronized void forget(long horizon) {
    log.headMap(horizon, true).clear();
  }

  /// The shelf's content at a version.
  synchronized Map<String, Long> at(long when) {
    return history.getOrDefault(when, Map.of());
  }

  @Override
  public synchronized Step<Book> read(long seen) {
    boolean known = seen > 0 && seen <= version && (log.isEmpty() || log.firstKey() <= seen + 1);
    if (known && seen == version) {
      return new Step<>(version, List.of());
    }
    List<String> changed = new ArrayList<>();
    if (known) {
      log.tailMap(seen, false).values().stream().distinct().forEach(changed::add);
    } else {
      changed.add("*");
      changed.addAll(books.keySet());
    }
    Book.Builder message = Book.newBuilder().setPages(Math.toIntExact(version));
    for (String id : changed) {
      message.addChaptersBuilder().setTitle(id.equals("*") ? id : id + "=" + books.get(id));
    }
    return new Step<>(version, List.of(message.build()));
  }

  @Override
  public synchronized Book alive(long seen) {
    return Book.newBuilder().setPages(Math.toIntExact(seen)).build();
  }
}
