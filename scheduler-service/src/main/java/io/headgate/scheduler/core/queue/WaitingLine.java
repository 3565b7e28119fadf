package io.headgate.scheduler.core.queue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Jobs in their order (DESIGN O5): a sorted list in chunks.
///
/// Most jobs are added at the end and leave at the front, but a preempted one returns to its place
/// and a cancelled one leaves from anywhere. A chunk's array is small enough to be shifted at once,
/// and counting the chunks before it tells a job's place without visiting jobs: at a million jobs
/// 4,000 additions.
public final class WaitingLine {
  private static final int CHUNK = 256;

  private static final class Chunk {
    final LiveJob[] jobs = new LiveJob[CHUNK];
    int size;

    LiveJob last() {
      return jobs[size - 1];
    }

    /// As [Arrays#binarySearch].
    int find(LiveJob job) {
      return Arrays.binarySearch(jobs, 0, size, job, LiveJob.ORDER);
    }

    void insert(int at, LiveJob job) {
      System.arraycopy(jobs, at, jobs, at + 1, size - at);
      jobs[at] = job;
      size++;
    }
  }

  private final List<Chunk> chunks = new ArrayList<>();
  private int size;

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  public LiveJob first() {
    return chunks.getFirst().jobs[0];
  }

  public LiveJob get(int index) {
    int before = 0;
    for (Chunk chunk : chunks) {
      if (index < before + chunk.size) {
        return chunk.jobs[index - before];
      }
      before += chunk.size;
    }
    throw new IndexOutOfBoundsException(index);
  }

  /// Adds all its jobs, in order.
  void copyTo(List<LiveJob> target) {
    for (Chunk chunk : chunks) {
      target.addAll(Arrays.asList(chunk.jobs).subList(0, chunk.size));
    }
  }

  public void add(LiveJob job) {
    size++;
    if (chunks.isEmpty() || isAfterAll(job)) {
      append(job);
      return;
    }
    int index = chunkFor(job);
    Chunk chunk = chunks.get(index);
    if (chunk.size == CHUNK) {
      split(index);
      if (LiveJob.ORDER.compare(job, chunk.last()) > 0) {
        chunk = chunks.get(index + 1);
      }
    }
    int found = chunk.find(job);
    if (found >= 0) {
      throw new IllegalStateException("job " + job.id() + " waits already");
    }
    chunk.insert(-found - 1, job);
  }

  public void remove(LiveJob job) {
    int index = chunkFor(job);
    Chunk chunk = chunks.get(index);
    int at = chunk.find(job);
    if (at < 0 || chunk.jobs[at] != job) {
      throw new IllegalStateException("job " + job.id() + " does not wait here");
    }
    System.arraycopy(chunk.jobs, at + 1, chunk.jobs, at, chunk.size - at - 1);
    chunk.size--;
    chunk.jobs[chunk.size] = null;
    size--;
    if (chunk.size == 0) {
      chunks.remove(index);
    }
  }

  /// How many are ahead of the job, whether or not it is in the line.
  public int ahead(LiveJob job) {
    int ahead = 0;
    for (Chunk chunk : chunks) {
      if (LiveJob.ORDER.compare(chunk.last(), job) >= 0) {
        int at = chunk.find(job);
        return ahead + (at < 0 ? -at - 1 : at);
      }
      ahead += chunk.size;
    }
    return ahead;
  }

  private boolean isAfterAll(LiveJob job) {
    return LiveJob.ORDER.compare(job, chunks.getLast().last()) > 0;
  }

  private void append(LiveJob job) {
    if (chunks.isEmpty() || chunks.getLast().size == CHUNK) {
      chunks.add(new Chunk());
    }
    Chunk chunk = chunks.getLast();
    chunk.insert(chunk.size, job);
  }

  /// The first chunk whose last job is not before the given one; the last chunk when there is none.
  private int chunkFor(LiveJob job) {
    int low = 0;
    int high = chunks.size() - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (LiveJob.ORDER.compare(chunks.get(middle).last(), job) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private void split(int index) {
    Chunk chunk = chunks.get(index);
    Chunk upper = new Chunk();
    int half = CHUNK / 2;
    System.arraycopy(chunk.jobs, half, upper.jobs, 0, CHUNK - half);
    Arrays.fill(chunk.jobs, half, CHUNK, null);
    upper.size = CHUNK - half;
    chunk.size = half;
    chunks.add(index + 1, upper);
  }
}
