package io.headgate.scheduler.core.queue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/// Jobs in their order (O5): a sorted list in chunks.
///
/// Most jobs are added at the end and leave at the front, but a preempted one returns to its place
/// and a cancelled one leaves from anywhere. A chunk is small enough to be shifted at once, and
/// counting the chunks before it tells a job's place without visiting jobs: at a million jobs 4,000
/// additions.
public final class WaitingLine<J> {
  private static final int CHUNK = 256;

  private final Comparator<J> order;
  private final List<List<J>> chunks = new ArrayList<>();
  private @Nullable J first;
  private final @Nullable StartCounter<J> counter;
  private int size;
  private long starts;

  /// How many attempts a job asks for while it stands in a line.
  interface StartCounter<J> {
    int enter(J job);

    /// As many as it asked for until now.
    int leave(J job);
  }

  public WaitingLine(Comparator<J> order) {
    this(order, null);
  }

  /// @param counter null: each job asks for one attempt
  WaitingLine(Comparator<J> order, @Nullable StartCounter<J> counter) {
    this.order = order;
    this.counter = counter;
  }

  public int size() {
    return size;
  }

  /// How many attempts its jobs ask for.
  public long starts() {
    return counter == null ? size : starts;
  }

  /// A job of the line asks for another number of attempts.
  void recount(J job) {
    if (counter != null) {
      starts -= counter.leave(job);
      starts += counter.enter(job);
    }
  }

  public boolean isEmpty() {
    return size == 0;
  }

  /// The first job in order.
  ///
  /// @throws NoSuchElementException when no job waits
  public J first() {
    if (first == null) {
      throw new NoSuchElementException("no job waits");
    }
    return first;
  }

  private void changed(int change) {
    size += change;
    first = size == 0 ? null : chunks.getFirst().getFirst();
  }

  public J get(int index) {
    int before = 0;
    for (List<J> chunk : chunks) {
      if (index < before + chunk.size()) {
        return chunk.get(index - before);
      }
      before += chunk.size();
    }
    throw new IndexOutOfBoundsException(index);
  }

  /// Adds all its jobs, in order.
  void copyTo(List<J> target) {
    chunks.forEach(target::addAll);
  }

  public void add(J job) {
    if (chunks.isEmpty() || order.compare(job, chunks.getLast().getLast()) > 0) {
      append(job);
    } else {
      insert(job);
    }
    starts += counter == null ? 0 : counter.enter(job);
    changed(1);
  }

  private void append(J job) {
    if (chunks.isEmpty() || chunks.getLast().size() == CHUNK) {
      chunks.add(new ArrayList<>());
    }
    chunks.getLast().add(job);
  }

  private void insert(J job) {
    int index = chunkFor(job);
    List<J> chunk = chunks.get(index);
    if (chunk.size() == CHUNK) {
      List<J> upper = chunk.subList(CHUNK / 2, CHUNK);
      chunks.add(index + 1, new ArrayList<>(upper));
      upper.clear();
      chunk = chunks.get(chunkFor(job));
    }
    int found = find(chunk, job);
    if (found >= 0) {
      throw new IllegalStateException(job + " waits already");
    }
    chunk.add(-found - 1, job);
  }

  public void remove(J job) {
    int index = chunks.isEmpty() ? -1 : chunkFor(job);
    int at = index < 0 ? -1 : find(chunks.get(index), job);
    if (at < 0) {
      throw new IllegalStateException(job + " does not wait here");
    }
    chunks.get(index).remove(at);
    if (chunks.get(index).isEmpty()) {
      chunks.remove(index);
    }
    starts -= counter == null ? 0 : counter.leave(job);
    changed(-1);
  }

  /// How many are ahead of the job, whether or not it is in the line.
  public int ahead(J job) {
    int ahead = 0;
    for (List<J> chunk : chunks) {
      if (order.compare(chunk.getLast(), job) >= 0) {
        int at = find(chunk, job);
        return ahead + (at < 0 ? -at - 1 : at);
      }
      ahead += chunk.size();
    }
    return ahead;
  }

  /// The first chunk whose last job is not before the given one; the last chunk when there is none.
  private int chunkFor(J job) {
    int low = 0;
    int high = chunks.size() - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (order.compare(chunks.get(middle).getLast(), job) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// As [Collections#binarySearch].
  private int find(List<J> chunk, J job) {
    return Collections.binarySearch(chunk, job, order);
  }
}
