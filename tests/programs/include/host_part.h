#pragma once
#ifdef __cplusplus
extern "C" {
#endif
int add_in_c(int a, int b);
#ifdef __cplusplus
}
#endif
