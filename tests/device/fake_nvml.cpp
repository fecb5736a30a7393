// A management library of a machine with one GPU, at 0000:19:00.0, that runs at fixed clocks.
#include <cstring>

struct nvmlDevice_st
{};

namespace {
nvmlDevice_st only_device;
bool initialised = false;
constexpr int success = 0;
constexpr int uninitialised = 1;
constexpr int not_found = 6;
constexpr int sm = 1;
constexpr int memory = 2;
} // namespace

extern "C" {

int nvmlInit_v2()
{
    initialised = true;
    return success;
}

int nvmlSystemGetDriverVersion(char* text, unsigned length)
{
    std::strncpy(text, "580.65.06", length);
    return initialised ? success : uninitialised;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* id, nvmlDevice_st** device)
{
    *device = &only_device;
    return std::strcmp(id, "0000:19:00.0") == 0 ? success : not_found;
}

int nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_st* device, unsigned long long* millijoules)
{
    *millijoules = 12500;
    return device == &only_device ? success : not_found;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_st* device, unsigned long long* reasons)
{
    *reasons = 0x4;
    return device == &only_device ? success : not_found;
}

int nvmlDeviceGetTemperature(nvmlDevice_st* device, int sensor, unsigned* celsius)
{
    *celsius = 51;
    return device == &only_device && sensor == 0 ? success : not_found;
}

// nvmlDeviceGetPowerUsage is not there, as on a board without a sensor.

int nvmlDeviceGetClockInfo(nvmlDevice_st* device, int which, unsigned* mhz)
{
    *mhz = which == sm ? 1980 : which == memory ? 3201 : 0;
    return device == &only_device ? success : not_found;
}
}
