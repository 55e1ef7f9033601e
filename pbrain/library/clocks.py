"""The kernel's clock in LLVM IR, one function per platform: monotonic nanoseconds.

The kernel calls `kaname_clock`; the build links the definition for its target into the module.
"""

# CLOCK_MONOTONIC is 1 on Linux and 6 on macOS. Like the manager's clock, it keeps running while a process is suspended.
_POSIX = """
declare i32 @clock_gettime(i32, ptr)
define i64 @kaname_clock() {{
  %time = alloca [2 x i64]
  %failed = call i32 @clock_gettime(i32 {clock}, ptr %time)
  %second = load i64, ptr %time
  %rest_at = getelementptr i64, ptr %time, i64 1
  %rest = load i64, ptr %rest_at
  %whole = mul i64 %second, 1000000000
  %now = add i64 %whole, %rest
  ret i64 %now
}}
"""

# Seconds and remainder are converted separately: the whole count times 10^9 would overflow after 15 minutes.
_WINDOWS = """
declare i32 @QueryPerformanceCounter(ptr)
declare i32 @QueryPerformanceFrequency(ptr)
define i64 @kaname_clock() {
  %count_at = alloca i64
  %rate_at = alloca i64
  %failed = call i32 @QueryPerformanceCounter(ptr %count_at)
  %failed_too = call i32 @QueryPerformanceFrequency(ptr %rate_at)
  %count = load i64, ptr %count_at
  %rate = load i64, ptr %rate_at
  %second = udiv i64 %count, %rate
  %left = urem i64 %count, %rate
  %left_ns = mul i64 %left, 1000000000
  %rest = udiv i64 %left_ns, %rate
  %whole = mul i64 %second, 1000000000
  %now = add i64 %whole, %rest
  ret i64 %now
}
"""

# The page or program that loads the module provides the clock.
_WASM = "declare i64 @kaname_clock()\n"

CLOCKS = {
    "linux": _POSIX.format(clock=1),
    "macos": _POSIX.format(clock=6),
    "windows": _WINDOWS,
    "wasm32": _WASM,
}
