// The machine that a fake library shows, kept as a directory tree, so that it outlives every process
// that uses it, several processes see the same, and a test can read and change it with any editor.
// Of every library's:
//
//   faults/<function>   "<status> <times>": what its next calls answer; "slow <ms>": each takes that;
//                       "hang": each takes until that is taken back
//   calls               what was changed, one call a line
//
// It lies in gpus/ beside the library, or where FAKE_GPU_STATE says when the library is loaded; that of a
// program in the nearest gpus/ above a directory that it was given.
#pragma once

#include <stdbool.h>

#define API __attribute__((visibility("default")))
#define TEXT 4096

// The state is this process's alone between the two.
void state_lock(void);
void state_unlock(void);

// Reads a file of the state; false: there is none.
bool state_read(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void state_write(const char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool state_exists(const char *format, ...) __attribute__((format(printf, 1, 2)));
void state_remove(const char *format, ...) __attribute__((format(printf, 1, 2)));
void state_make(const char *format, ...) __attribute__((format(printf, 1, 2)));
void state_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

void state_find_above(const char *directory);

// Where the state lies.
const char *state_root(void);

// What a call has to answer before it does anything; 0: go on. Slow calls are slow in here, and
// hold nobody else up.
int begin(const char *function);
