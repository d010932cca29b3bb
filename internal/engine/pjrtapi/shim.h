// The layout of a PJRT API that all versions share: words, the first of which is the table's size in bytes. The version
// stands in word 4, then come the functions, each with one argument: a struct whose first word is its own size.
#ifndef GFNCP_PJRTAPI_SHIM_H
#define GFNCP_PJRTAPI_SHIM_H

#include <stddef.h>
#include <stdint.h>

enum {
  most_plugins = 4,     // of a process
  first_function = 5,   // the first words are size, extensions, and of the version: size, extensions, numbers
  most_functions = 256,
  room = 1024           // bytes of a widened argument
};

// Words of functions. Word 3 of the arguments of the first two points to a struct with a size of its own.
enum {
  PJRT_Client_Compile = 25,
  PJRT_LoadedExecutable_Execute = 60,
  PJRT_Error_Destroy = 5,
  PJRT_Error_Message = 6,
  PJRT_Plugin_Initialize = 8,
  PJRT_Client_PlatformVersion = 19,
  PJRT_Client_AddressableDevices = 21,
  PJRT_DeviceDescription_Kind = 31,
  PJRT_Device_GetDescription = 34,
  PJRT_Executable_Destroy = 45,
  PJRT_Executable_Serialize = 54,
  PJRT_LoadedExecutable_GetExecutable = 56,
  PJRT_Executable_DeserializeAndLoad = 61,
  PJRT_Client_CreateViewOfDeviceBuffer = 98 // the youngest that a run needs
};

// open_plugin loads a plugin and returns its API, or NULL and why.
const uintptr_t* open_plugin(const char* path, const char** fault);

// api_version writes the numbers of the version.
void api_version(const uintptr_t* api, int* major, int* minor);

// complete tells whether an API has all functions that a run needs.
int complete(const uintptr_t* api);

// shimmed returns an API in front of another one, number of the process: compilations pass through gfncpCompile, and
// if asked for, arguments are widened.
uintptr_t shimmed(int number, const uintptr_t* api, int widen);

// has tells whether a plugin has a function.
int has(int number, size_t word);

// call calls a plugin's function with an argument, which it widens where the shim does, and returns its error or NULL.
void* call(int number, size_t word, uintptr_t* args);

// release calls the function that frees what a plugin has lent.
void release(uintptr_t function, uintptr_t lent);

// address is a pointer to what a word points to.
void* address(uintptr_t word);

#endif
