#pragma once
struct Once { int value; };
