# Link gpuwhy_warnings PRIVATE: our code compiles without a warning, or not at all.
add_library(gpuwhy_warnings INTERFACE)
target_compile_options(gpuwhy_warnings INTERFACE
  # GCC 12 sees overlapping copies in std::string that are not there (its bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  -Wall -Wextra -Wshadow -Wconversion -Wold-style-cast -Wundef -Wno-missing-field-initializers
  $<$<BOOL:${GPUWHY_WERROR}>:-Werror>)
