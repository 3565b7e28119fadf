package io.headgate.deploy.prose;

import java.util.List;

/// A comment, or a Markdown file: prose that a reader meets in one place.
///
/// @param line of the first line in its file, from 1
/// @param lines the text, without the slashes of a comment
record Passage(int line, List<String> lines) {
  Passage {
    lines = List.copyOf(lines);
  }
}
