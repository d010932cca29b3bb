// The table of functions that a PJRT plugin is. What is not written in Go answers that it is missing.
#include "_cgo_export.h"

#include <string.h>

PJRT_Device devices[most_devices];
PJRT_Device* device_list[most_devices];
PJRT_DeviceDescription descriptions[most_devices];
PJRT_Event done;

static PJRT_Error* missing(void* args) { return stubMissing(); }

static PJRT_Error* nothing(void* args) { return NULL; }

const PJRT_Api* GetPjrtApi(void) {
  static PJRT_Api api;
  if (api.struct_size != 0) return &api;
  for (int i = 0; i < most_devices; i++) {
    devices[i].number = descriptions[i].number = i;
    device_list[i] = &devices[i];
  }
  // All fields from the first function on are pointers of functions with one argument.
  size_t first = offsetof(PJRT_Api, PJRT_Error_Destroy) / sizeof(void*);
  for (size_t i = first; i < PJRT_Api_STRUCT_SIZE / sizeof(void*); i++) ((void**)&api)[i] = (void*)missing;

  api.PJRT_Error_Destroy = stubErrorDestroy;
  api.PJRT_Error_Message = stubErrorMessage;
  api.PJRT_Error_GetCode = stubErrorGetCode;
  api.PJRT_Plugin_Initialize = (PJRT_Plugin_Initialize*)nothing;
  api.PJRT_Plugin_Attributes = (PJRT_Plugin_Attributes*)nothing;
  api.PJRT_Event_Destroy = (PJRT_Event_Destroy*)nothing;
  api.PJRT_Event_Await = (PJRT_Event_Await*)nothing;
  api.PJRT_Client_Create = stubClientCreate;
  api.PJRT_Client_Destroy = stubClientDestroy;
  api.PJRT_Client_PlatformName = stubClientPlatformName;
  api.PJRT_Client_PlatformVersion = stubClientPlatformVersion;
  api.PJRT_Client_ProcessIndex = stubClientProcessIndex;
  api.PJRT_Client_Devices = stubClientDevices;
  api.PJRT_Client_AddressableDevices = stubClientAddressableDevices;
  api.PJRT_Client_DefaultDeviceAssignment = stubClientDefaultDeviceAssignment;
  api.PJRT_Client_Compile = stubClientCompile;
  api.PJRT_Client_BufferFromHostBuffer = stubClientBufferFromHostBuffer;
  api.PJRT_Device_GetDescription = stubDeviceGetDescription;
  api.PJRT_Device_IsAddressable = stubDeviceIsAddressable;
  api.PJRT_Device_LocalHardwareId = stubDeviceLocalHardwareId;
  api.PJRT_DeviceDescription_ProcessIndex = stubDescriptionProcessIndex;
  api.PJRT_DeviceDescription_DebugString = stubDescriptionDebugString;
  api.PJRT_Buffer_Destroy = stubBufferDestroy;
  api.PJRT_Buffer_ElementType = stubBufferElementType;
  api.PJRT_Buffer_Dimensions = stubBufferDimensions;
  api.PJRT_Buffer_Device = stubBufferDevice;
  api.PJRT_Buffer_CopyToDevice = stubBufferCopyToDevice;
  api.PJRT_Buffer_ToHostBuffer = stubBufferToHostBuffer;
  api.PJRT_LoadedExecutable_Destroy = stubLoadedExecutableDestroy;
  api.PJRT_LoadedExecutable_GetExecutable = stubLoadedExecutableGetExecutable;
  api.PJRT_LoadedExecutable_Execute = stubLoadedExecutableExecute;
  api.PJRT_Executable_Destroy = stubExecutableDestroy;
  api.PJRT_Executable_Name = stubExecutableName;
  api.PJRT_Executable_NumOutputs = stubExecutableNumOutputs;
  api.PJRT_Executable_GetCompiledMemoryStats = (PJRT_Executable_GetCompiledMemoryStats*)nothing;

  stubVersion(&api.pjrt_api_version.major_version, &api.pjrt_api_version.minor_version);
  api.struct_size = PJRT_Api_STRUCT_SIZE;
  return &api;
}
