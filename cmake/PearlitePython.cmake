# PEARLITE_PYTHON: of the Pythons on the path, the first that has what the report needs (a user's own Python often shadows the
# one whose packages are installed); plain python3 if none has.
function(pearlite_python_draws result candidate)
    execute_process(COMMAND "${candidate}" -c "import h5py, matplotlib" RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(NOT status EQUAL 0)
        set(${result} FALSE PARENT_SCOPE)
    endif()
endfunction()
find_program(PEARLITE_PYTHON python3 VALIDATOR pearlite_python_draws DOC "Python with h5py and matplotlib")
if(NOT PEARLITE_PYTHON)
    set(PEARLITE_PYTHON python3)
endif()
