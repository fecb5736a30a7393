#pragma once
#include "cpu_device/vector_types.hpp"
