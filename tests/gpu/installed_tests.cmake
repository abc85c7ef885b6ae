# CTestTestfile.cmake of a folder that tests/gpu/pack made: `ctest -L gpu` works in it, wherever it lies. tests.txt has
# lines of a program and one of its tests.
# ctest knows no folder of this file, but has gone there.
execute_process(COMMAND pwd -P OUTPUT_VARIABLE here OUTPUT_STRIP_TRAILING_WHITESPACE)
file(STRINGS "${here}/tests/gpu/tests.txt" tests)
set(loader_path "$ENV{GRAPHNET_TORCH}/torch/lib")
if(NOT "$ENV{LD_LIBRARY_PATH}" STREQUAL "")
  string(APPEND loader_path ":$ENV{LD_LIBRARY_PATH}")
endif()
foreach(test IN LISTS tests)
  string(REPLACE " " ";" words "${test}")
  list(GET words 0 program)
  list(GET words 1 name)
  add_test("gpu/${name}" "${here}/bin/${program}" "--gtest_filter=${name}")
  set_tests_properties("gpu/${name}" PROPERTIES LABELS gpu TIMEOUT 300 RUN_SERIAL TRUE
    SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]" ENVIRONMENT "LD_LIBRARY_PATH=${loader_path}")
endforeach()
