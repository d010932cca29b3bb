// The layout of a PJRT API that all versions share: words, the first of which is the table's size in bytes. The version
// stands in word 4, then come the functions, each with one argument: a struct whose first word is its own size.
#ifndef GFNCP_PJRTAPI_SHIM_H
#define GFNCP_PJRTAPI_SHIM_H

#include <stddef.h>
#include <stdint.h>

enum {
  first_function = 5,   // the first words are size, extensions, and of the version: size, extensions, numbers
  most_functions = 256,
  room = 1024,          // bytes of a widened argument
  compile_word = 25,    // PJRT_Client_Compile and PJRT_LoadedExecutable_Execute: word 3 of their arguments points to a
  execute_word = 60     // struct with a size of its own
};

// open_plugin loads a plugin and returns its API, or NULL and why.
const uintptr_t* open_plugin(const char* path, const char** fault);

// api_version writes the numbers of the version.
void api_version(const uintptr_t* api, int* major, int* minor);

// shimmed returns an API that calls another one with widened arguments. There is one in a process.
uintptr_t shimmed(const uintptr_t* api);

#endif
