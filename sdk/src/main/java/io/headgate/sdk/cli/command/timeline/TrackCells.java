package io.headgate.sdk.cli.command.timeline;

import io.headgate.sdk.cli.command.timeline.Bar.Part;
import io.headgate.type.GpuQuantity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/// A track cell by cell. A cell has the mark of the job that lasts longest in it. Without a job it
/// is down, even if the device was down for a moment only. Otherwise it is free.
final class TrackCells {
  /// A cell.
  ///
  /// @param bar empty: none
  record Cell(Mark mark, Optional<Bar> bar) {
    private static final Cell NOTHING = new Cell(Mark.NOTHING, Optional.empty());
    private static final Cell FREE = new Cell(Mark.FREE, Optional.empty());
    private static final Cell DOWN = new Cell(Mark.DOWN, Optional.empty());

    boolean continues(Cell before) {
      return mark == before.mark && bar.equals(before.bar);
    }
  }

  /// Neighbouring cells of one bar and mark.
  ///
  /// @param to after the last one
  record Run(int from, int to, Cell cell) {
    int length() {
      return to - from;
    }
  }

  private TrackCells() {}

  /// @param device all tracks of the track's device
  static List<Cell> of(Track track, List<Track> device, Timeline timeline, Axis axis) {
    List<Cell> cells = new ArrayList<>(Collections.nCopies(axis.cells(), Cell.NOTHING));
    long[] longest = new long[axis.cells()];
    for (Bar bar : track.bars()) {
      for (Part part : bar.parts()) {
        int first = (int) axis.position(part.from());
        int last = Math.min(axis.cells() - 1, (int) axis.position(part.until()));
        for (int cell = first; cell <= last; cell++) {
          long overlap = part.overlapMillis(axis.time(cell), axis.time(cell + 1));
          if (overlap > longest[cell]) {
            longest[cell] = overlap;
            cells.set(cell, new Cell(part.mark(), Optional.of(bar)));
          }
        }
      }
    }
    for (Down down : track.downs()) {
      int first = (int) axis.position(down.from());
      int last = Math.min(axis.cells() - 1, (int) axis.position(down.until()));
      for (int cell = first; cell <= last; cell++) {
        if (longest[cell] == 0 && down.touches(axis.time(cell), axis.time(cell + 1))) {
          longest[cell] = 1;
          cells.set(cell, Cell.DOWN);
        }
      }
    }
    if (timeline.showsFree()) {
      for (int cell = 0; cell < axis.cells(); cell++) {
        if (longest[cell] == 0 && hasRoom(track, device, axis.time(cell))) {
          cells.set(cell, Cell.FREE);
        }
      }
    }
    return cells;
  }

  /// Whether a slice of the track's size was free: the device's other tracks may have used all of
  /// it.
  private static boolean hasRoom(Track track, List<Track> device, Instant time) {
    long used =
        device.stream()
            .flatMap(each -> each.bars().stream())
            .filter(bar -> bar.covers(time))
            .mapToLong(bar -> bar.place().quantity().units())
            .sum();
    return used + track.place().quantity().units() <= GpuQuantity.UNITS_PER_GPU;
  }

  static List<Run> runs(List<Cell> cells) {
    List<Run> runs = new ArrayList<>();
    int from = 0;
    for (int cell = 1; cell <= cells.size(); cell++) {
      if (cell == cells.size() || !cells.get(cell).continues(cells.get(cell - 1))) {
        runs.add(new Run(from, cell, cells.get(from)));
        from = cell;
      }
    }
    return runs;
  }
}
