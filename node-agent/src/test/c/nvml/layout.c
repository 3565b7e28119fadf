// Prints what the compiler makes of each structure, one line for its size and one for each field.
#include "abi.h"

#include <stdio.h>

#define PRINT_SIZE(type, bytes) printf("%s %zu\n", #type, sizeof(type));
#define PRINT_OFFSET(type, field, bytes) printf("%s.%s %zu\n", #type, #field, offsetof(type, field));

int main(void) {
  STRUCTURES(PRINT_SIZE, PRINT_OFFSET)
  return 0;
}
