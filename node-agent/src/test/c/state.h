// The state of the machine that a fake library shows, kept as a directory tree. It therefore outlives every process
// that uses it, several processes share it, and a test can read and change it with any editor. Every library has these
// files:
//
//     faults/<function>   "<status> <times>": the answer of its next calls; "slow <ms>": the duration of each
//                         call; "hang": calls return only after the fault is removed
//     calls               the changes made, one call a line
//
// The tree lies in gpus/ beside the library, or where FAKE_GPU_STATE says when the library is loaded. A program's tree
// lies in the nearest gpus/ above a directory that it was given.
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

// Decides the answer of a call before the call does anything; 0: go on. Slow calls wait in here, and delay no other
// calls.
int begin(const char *function);
