# gpuwhy_bpf(<target> <dir> <name>): compiles the *.bpf.c of a folder, links them into one object and adds
# <name>.skel.h, which holds it, to the target's include path. Nothing of a particular kernel is used: accesses
# are relocated when the programs are loaded.
find_program(CLANG NAMES clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14)
find_program(BPFTOOL NAMES bpftool PATHS /usr/sbin /sbin)
find_path(LIBBPF_INCLUDE bpf/bpf_helpers.h)
foreach(tool CLANG:clang BPFTOOL:bpftool LIBBPF_INCLUDE:libbpf-dev)
  string(REPLACE ":" ";" tool "${tool}")
  list(GET tool 0 variable)
  list(GET tool 1 package)
  if(NOT ${variable})
    message(FATAL_ERROR "${package} is missing: run `make deps`, or apt-get install ${package}")
  endif()
endforeach()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(GPUWHY_BPF_ARCH arm64)
else()
  set(GPUWHY_BPF_ARCH x86)
endif()

function(gpuwhy_bpf target dir name)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${dir}/*.bpf.c")
  # The object that defines the maps comes first: bpftool's linker resolves maps in that order only.
  list(FILTER sources EXCLUDE REGEX "/maps\\.bpf\\.c$")
  list(PREPEND sources "${CMAKE_CURRENT_SOURCE_DIR}/${dir}/maps.bpf.c")
  file(GLOB headers CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${dir}/*.h")
  cmake_path(GET dir PARENT_PATH parent)
  set(out "${CMAKE_CURRENT_BINARY_DIR}/bpf")
  file(MAKE_DIRECTORY "${out}")
  set(objects "")
  foreach(source IN LISTS sources)
    get_filename_component(base "${source}" NAME_WE)
    set(object "${out}/${base}.bpf.o")
    add_custom_command(OUTPUT "${object}" DEPENDS "${source}" ${headers} "${CMAKE_CURRENT_SOURCE_DIR}/${parent}/wire.h"
              "${CMAKE_CURRENT_SOURCE_DIR}/${parent}/python_wire.h"
      COMMAND ${CLANG} -g -O2 -target bpf -mcpu=v3 -D__TARGET_ARCH_${GPUWHY_BPF_ARCH} -Wall -Werror
              -I "${CMAKE_CURRENT_SOURCE_DIR}/${parent}" -I "${LIBBPF_INCLUDE}" -c "${source}" -o "${object}"
      VERBATIM)
    list(APPEND objects "${object}")
  endforeach()
  set(skeleton "${out}/${name}.skel.h")
  add_custom_command(OUTPUT "${skeleton}" DEPENDS ${objects}
    COMMAND ${BPFTOOL} gen object "${out}/${name}.linked.o" ${objects}
    COMMAND sh -c "\"$1\" gen skeleton \"$2\" name ${name}_bpf >\"$3\"" sh "${BPFTOOL}" "${out}/${name}.linked.o" "${skeleton}"
    VERBATIM)
  target_sources(${target} PRIVATE "${skeleton}")
  target_include_directories(${target} SYSTEM PRIVATE "${out}")
endfunction()
