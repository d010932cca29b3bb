//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

#include "shim.h"

#include <dlfcn.h>
#include <string.h>

typedef void* (*function)(void*);

static const uintptr_t* real;
static uintptr_t shim[first_function + most_functions];

// widened copies a struct that starts with its size into room bytes, the rest zero, and gives it that size.
static void widened(uintptr_t* to, const uintptr_t* from) {
  memset(to, 0, room);
  memcpy(to, from, from[0]);
  to[0] = room;
}

// forward calls function word of the plugin with a widened argument, and copies back what it wrote.
static void* forward(size_t word, uintptr_t* args) {
  function f = (function)real[word];
  size_t own = args[0];
  if (own >= room || own < sizeof(uintptr_t)) return f(args);
  uintptr_t wide[room / sizeof(uintptr_t)], inner[room / sizeof(uintptr_t)];
  widened(wide, args);
  uintptr_t* given = NULL; // the struct inside
  if (word == compile_word || word == execute_word) given = (uintptr_t*)args[3];
  if (given != NULL && given[0] < room && given[0] >= sizeof(uintptr_t)) {
    widened(inner, given);
    wide[3] = (uintptr_t)inner;
  }
  void* result = f(wide);
  wide[0] = own;
  if (given != NULL) wide[3] = (uintptr_t)given;
  memcpy(args, wide, own);
  return result;
}

// A function for each word: f_00 … f_ff.
#define ONE(n) \
  static void* f_##n(void* args) { return forward(first_function + 0x##n, args); }
#define SIXTEEN(m, n) \
  m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) \
  m(n##8) m(n##9) m(n##a) m(n##b) m(n##c) m(n##d) m(n##e) m(n##f)
#define ALL(m) \
  SIXTEEN(m, 0) SIXTEEN(m, 1) SIXTEEN(m, 2) SIXTEEN(m, 3) SIXTEEN(m, 4) SIXTEEN(m, 5) SIXTEEN(m, 6) SIXTEEN(m, 7) \
  SIXTEEN(m, 8) SIXTEEN(m, 9) SIXTEEN(m, a) SIXTEEN(m, b) SIXTEEN(m, c) SIXTEEN(m, d) SIXTEEN(m, e) SIXTEEN(m, f)
ALL(ONE)
#define NAME(n) f_##n,
static const function functions[most_functions] = {ALL(NAME)};

uintptr_t shimmed(const uintptr_t* api) {
  real = api;
  size_t words = api[0] / sizeof(uintptr_t);
  if (words > first_function + most_functions) words = first_function + most_functions;
  memcpy(shim, api, words * sizeof(uintptr_t));
  shim[0] = words * sizeof(uintptr_t);
  for (size_t word = first_function; word < words; word++) {
    if (api[word] != 0) shim[word] = (uintptr_t)functions[word - first_function];
  }
  return (uintptr_t)shim;
}

void api_version(const uintptr_t* api, int* major, int* minor) {
  const int* numbers = (const int*)&api[4];
  *major = numbers[0];
  *minor = numbers[1];
}

const uintptr_t* open_plugin(const char* path, const char** fault) {
  void* library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (library == NULL) {
    *fault = dlerror();
    return NULL;
  }
  const uintptr_t* (*get)(void) = (const uintptr_t* (*)(void))dlsym(library, "GetPjrtApi");
  if (get == NULL) {
    *fault = "it has no function GetPjrtApi";
    return NULL;
  }
  const uintptr_t* api = get();
  if (api == NULL) *fault = "GetPjrtApi returns nothing";
  return api;
}
