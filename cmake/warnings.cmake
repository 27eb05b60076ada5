# Link gpuwhy_warnings PRIVATE: our code compiles without a warning, or not at all.
add_library(gpuwhy_warnings INTERFACE)
target_compile_options(gpuwhy_warnings INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wold-style-cast -Wundef -Wno-missing-field-initializers
  $<$<BOOL:${GPUWHY_WERROR}>:-Werror>)
