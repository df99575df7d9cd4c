# pearlite_find_python(VARIABLE module...): of the Pythons on the path, the first that has these modules (a user's own
# Python often shadows the one whose packages are installed); plain python3 if none has.
function(pearlite_find_python variable)
    list(JOIN ARGN ", " modules)
    list(JOIN ARGN " and " named_modules)
    find_program(${variable} python3 VALIDATOR pearlite_python_imports DOC "Python with ${named_modules}")
    if(NOT ${variable})
        set(${variable} python3 PARENT_SCOPE)
    endif()
endfunction()

# find_program asks it of each candidate, with the variables of the function above in sight.
function(pearlite_python_imports result candidate)
    execute_process(COMMAND "${candidate}" -c "import ${modules}" RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(NOT status EQUAL 0)
        set(${result} FALSE PARENT_SCOPE)
    endif()
endfunction()

# For the report and the figures.
pearlite_find_python(PEARLITE_PYTHON h5py matplotlib)
