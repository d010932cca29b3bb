//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

#include "shim.h"

#include <dlfcn.h>
#include <string.h>

#include "_cgo_export.h"

typedef void* (*function)(void*);

typedef struct {
  const uintptr_t* real;
  size_t words; // of the real table, as far as it is known here
  int widen;
  uintptr_t table[first_function + most_functions];
} plugin;

static plugin plugins[most_plugins];

// widened copies a struct that starts with its size into room bytes, the rest zero, and gives it that size.
static void widened(uintptr_t* to, const uintptr_t* from) {
  memset(to, 0, room);
  memcpy(to, from, from[0]);
  to[0] = room;
}

// wide calls a function with a widened argument, and copies back what it wrote.
static void* wide(function f, size_t word, uintptr_t* args) {
  size_t own = args[0];
  if (own >= room || own < sizeof(uintptr_t)) return f(args);
  uintptr_t outer[room / sizeof(uintptr_t)], inner[room / sizeof(uintptr_t)];
  widened(outer, args);
  uintptr_t* given = NULL; // the struct inside
  if (word == PJRT_Client_Compile || word == PJRT_LoadedExecutable_Execute) given = (uintptr_t*)args[3];
  if (given != NULL && given[0] < room && given[0] >= sizeof(uintptr_t)) {
    widened(inner, given);
    outer[3] = (uintptr_t)inner;
  }
  void* result = f(outer);
  outer[0] = own;
  if (given != NULL) outer[3] = (uintptr_t)given;
  memcpy(args, outer, own);
  return result;
}

void* call(int number, size_t word, uintptr_t* args) {
  const plugin* p = &plugins[number];
  function f = (function)p->real[word];
  return p->widen ? wide(f, word, args) : f(args);
}

static void* compile(int number, void* args) { return gfncpCompile(number, args); }

// Functions f_NUMBER_WORD for each plugin and word and compile_NUMBER.
#define ONE(p, n) \
  static void* f_##p##_##n(void* args) { return call(p, first_function + 0x##n, args); }
#define SIXTEEN(m, p, n) \
  m(p, n##0) m(p, n##1) m(p, n##2) m(p, n##3) m(p, n##4) m(p, n##5) m(p, n##6) m(p, n##7) \
  m(p, n##8) m(p, n##9) m(p, n##a) m(p, n##b) m(p, n##c) m(p, n##d) m(p, n##e) m(p, n##f)
#define ALL(m, p) \
  SIXTEEN(m, p, 0) SIXTEEN(m, p, 1) SIXTEEN(m, p, 2) SIXTEEN(m, p, 3) \
  SIXTEEN(m, p, 4) SIXTEEN(m, p, 5) SIXTEEN(m, p, 6) SIXTEEN(m, p, 7) \
  SIXTEEN(m, p, 8) SIXTEEN(m, p, 9) SIXTEEN(m, p, a) SIXTEEN(m, p, b) \
  SIXTEEN(m, p, c) SIXTEEN(m, p, d) SIXTEEN(m, p, e) SIXTEEN(m, p, f)
#define OF(p) \
  ALL(ONE, p) \
  static void* compile_##p(void* args) { return compile(p, args); }
OF(0) OF(1) OF(2) OF(3)
#define NAME(p, n) f_##p##_##n,
static const function functions[most_plugins][most_functions] = {
  {ALL(NAME, 0)}, {ALL(NAME, 1)}, {ALL(NAME, 2)}, {ALL(NAME, 3)}
};
static const function compiles[most_plugins] = {compile_0, compile_1, compile_2, compile_3};

uintptr_t shimmed(int number, const uintptr_t* api, int widen) {
  plugin* p = &plugins[number];
  p->real = api;
  p->widen = widen;
  p->words = api[0] / sizeof(uintptr_t);
  if (p->words > first_function + most_functions) p->words = first_function + most_functions;
  memcpy(p->table, api, p->words * sizeof(uintptr_t));
  p->table[0] = p->words * sizeof(uintptr_t);
  for (size_t word = first_function; widen && word < p->words; word++) {
    if (api[word] != 0) p->table[word] = (uintptr_t)functions[number][word - first_function];
  }
  if (has(number, PJRT_Client_Compile)) p->table[PJRT_Client_Compile] = (uintptr_t)compiles[number];
  return (uintptr_t)p->table;
}

int has(int number, size_t word) { return word < plugins[number].words && plugins[number].real[word] != 0; }

void release(uintptr_t function, uintptr_t lent) {
  if (function != 0) ((void (*)(void*))function)((void*)lent);
}

void* address(uintptr_t word) { return (void*)word; }

void api_version(const uintptr_t* api, int* major, int* minor) {
  const int* numbers = (const int*)&api[4];
  *major = numbers[0];
  *minor = numbers[1];
}

int complete(const uintptr_t* api) { return api[0] / sizeof(uintptr_t) > PJRT_Client_CreateViewOfDeviceBuffer; }

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
