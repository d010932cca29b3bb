//go:build pjrtstub

package main

/*
#include "api.h"

static char platform[] = "cuda", version[] = "pjrtstub", description[] = "a device of pjrtstub, without hardware";
static char* platform_name(void) { return platform; }
static char* version_name(void) { return version; }
static char* description_text(void) { return description; }
static PJRT_Device** all_devices(void) { return device_list; }
static PJRT_DeviceDescription* description_of(PJRT_Device* d) { return &descriptions[d->number]; }
*/
import "C"

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"unsafe"
)

//export stubClientCreate
func stubClientCreate(a *C.PJRT_Client_Create_Args) *C.PJRT_Error {
	if err := tooSmall("PJRT_Client_Create_Args", a.struct_size, C.PJRT_Client_Create_Args_STRUCT_SIZE); err != nil {
		return failure(err)
	}
	refuseFlags()
	a.client = (*C.PJRT_Client)(C.calloc(1, C.sizeof_PJRT_Client))
	for _, option := range unsafe.Slice(a.create_options, int(a.num_options)) {
		record("option\t%s", C.GoStringN(option.name, C.int(option.name_size)))
	}
	return nil
}

// refuseFlags ends the process if it has a flag for XLA that is not known, as XLA does.
func refuseFlags() {
	known := strings.Fields(getenv("PJRTSTUB_FLAGS"))
	if len(known) == 0 {
		return
	}
	for _, flag := range strings.Fields(getenv("XLA_FLAGS")) {
		if name, _, _ := strings.Cut(flag, "="); !slices.Contains(known, name) {
			fmt.Fprintln(os.Stderr, "Unknown flag in XLA_FLAGS:", flag)
			os.Exit(1)
		}
	}
}

//export stubClientDestroy
func stubClientDestroy(a *C.PJRT_Client_Destroy_Args) *C.PJRT_Error {
	C.free(unsafe.Pointer(a.client))
	return nil
}

// stubClientPlatformName says what the project's GPU path looks for.
//
//export stubClientPlatformName
func stubClientPlatformName(a *C.PJRT_Client_PlatformName_Args) *C.PJRT_Error {
	a.platform_name, a.platform_name_size = C.platform_name(), 4
	return nil
}

//export stubClientPlatformVersion
func stubClientPlatformVersion(a *C.PJRT_Client_PlatformVersion_Args) *C.PJRT_Error {
	a.platform_version, a.platform_version_size = C.version_name(), 8
	return nil
}

//export stubClientProcessIndex
func stubClientProcessIndex(a *C.PJRT_Client_ProcessIndex_Args) *C.PJRT_Error {
	a.process_index = 0
	return nil
}

//export stubClientDevices
func stubClientDevices(a *C.PJRT_Client_Devices_Args) *C.PJRT_Error {
	a.devices, a.num_devices = C.all_devices(), C.size_t(deviceCount())
	return nil
}

//export stubClientAddressableDevices
func stubClientAddressableDevices(a *C.PJRT_Client_AddressableDevices_Args) *C.PJRT_Error {
	a.addressable_devices, a.num_addressable_devices = C.all_devices(), C.size_t(deviceCount())
	return nil
}

//export stubClientDefaultDeviceAssignment
func stubClientDefaultDeviceAssignment(a *C.PJRT_Client_DefaultDeviceAssignment_Args) *C.PJRT_Error {
	wanted := int(a.num_replicas * a.num_partitions)
	if wanted > deviceCount() {
		return failure(fmt.Errorf("pjrtstub: %d devices are wanted, there are %d", wanted, deviceCount()))
	}
	for i := range unsafe.Slice(a.default_assignment, wanted) {
		unsafe.Slice(a.default_assignment, wanted)[i] = C.int(i)
	}
	return nil
}

//export stubDeviceGetDescription
func stubDeviceGetDescription(a *C.PJRT_Device_GetDescription_Args) *C.PJRT_Error {
	a.device_description = C.description_of(a.device)
	return nil
}

//export stubDeviceIsAddressable
func stubDeviceIsAddressable(a *C.PJRT_Device_IsAddressable_Args) *C.PJRT_Error {
	a.is_addressable = true
	return nil
}

//export stubDeviceLocalHardwareId
func stubDeviceLocalHardwareId(a *C.PJRT_Device_LocalHardwareId_Args) *C.PJRT_Error {
	a.local_hardware_id = a.device.number
	return nil
}

//export stubDescriptionProcessIndex
func stubDescriptionProcessIndex(a *C.PJRT_DeviceDescription_ProcessIndex_Args) *C.PJRT_Error {
	a.process_index = 0
	return nil
}

//export stubDescriptionDebugString
func stubDescriptionDebugString(a *C.PJRT_DeviceDescription_DebugString_Args) *C.PJRT_Error {
	a.debug_string, a.debug_string_size = C.description_text(), 38
	return nil
}
