// What C and Go share: the handles that PJRT leaves opaque are cells that hold a Go handle, or a number.
#ifndef GFNCP_PJRTSTUB_API_H
#define GFNCP_PJRTSTUB_API_H

#include <stdint.h>
#include <stdlib.h>

#include "pjrt_c_api.h" // go-xla's, of the module's folder

struct PJRT_Error { uintptr_t object; char* message; };
struct PJRT_Client { uintptr_t object; };
struct PJRT_Buffer { uintptr_t object; int64_t* dims; };
struct PJRT_Executable { uintptr_t object; char* name; };
struct PJRT_LoadedExecutable { uintptr_t object; };
struct PJRT_Event { int unused; };             // everything is done when a call returns
struct PJRT_Device { int number; };
struct PJRT_DeviceDescription { int number; };

enum { most_devices = 8 };
extern PJRT_Device devices[most_devices];
extern PJRT_Device* device_list[most_devices];
extern PJRT_DeviceDescription descriptions[most_devices];
extern PJRT_Event done;

#endif
