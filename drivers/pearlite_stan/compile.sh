#!/usr/bin/env bash
# pearlite stan: translates a Stan program and compiles it to a shared library with BridgeStan's C interface.
#   compile.sh MODEL.stan LIBRARY.so [CACHE]      CACHE: yes (default) or no
# R translates (Debian's r-cran-rstan, Stan 2.21) and a C++ compiler compiles, with the headers of r-cran-stanheaders,
# Boost, Eigen and TBB. The library needs none of them to run. CXX and CXXFLAGS name another compiler and options.
# A library that was made from the same program in the same way is left as it is.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$1 library=$2 cache=${3:-yes}
compiler=${CXX:-c++}
read -r -a flags <<<"${CXXFLAGS:--O2 -march=x86-64-v3}"

fail() {
    echo "pearlite: $*" >&2
    exit 2
}

[ -f "$program" ] || fail "$program: no such file; expected a Stan program"
[ -r "$program" ] || fail "$program cannot be read"
[[ $program == *.stan ]] || fail "$program: expected a name that ends in .stan"
[ -d "$(dirname "$library")" ] ||
    fail "$(dirname "$library"): no such directory; expected a place for the library"
command -v Rscript >/dev/null || fail "R is not installed; translating Stan programs takes it (Debian: apt-get install" \
    "--no-install-recommends r-cran-rstan r-cran-stanheaders libtbb-dev)"
command -v "$compiler" >/dev/null || fail "there is no compiler $compiler; the variable CXX names another"
headers=$(Rscript --vanilla -e 'cat(system.file("include", package = "StanHeaders"))' 2>/dev/null || true)
[ -d "$headers/src/stan" ] || fail "the package StanHeaders of R is not installed (Debian: r-cran-stanheaders)"

work=$(mktemp -d)
trap 'rm -rf "$work" "$library.$$"' EXIT

# Identify the inputs of the library, so that the same inputs are compiled once.
identity=$(cat "$program" "$here"/* <("$compiler" --version) <(echo "$headers ${flags[*]}") \
    <(cat "$headers/src/stan/version.hpp" 2>/dev/null || true) | sha256sum | cut -d' ' -f1)
if [ "$cache" = yes ] && [ -f "$library" ] && grep -qaF "pearlite-stan-$identity" "$library"; then
    echo "$library is up to date"
    exit 0
fi

echo "translating $program"
if ! Rscript --vanilla - "$program" "$work/program.hpp" >"$work/messages" 2>&1 <<'R'; then
arguments <- commandArgs(TRUE)
if (!requireNamespace("rstan", quietly = TRUE)) {
    cat("the package rstan of R is not installed (Debian: r-cran-rstan)\n")
    quit(status = 2)
}
name <- gsub("[^A-Za-z0-9_]", "_", sub("\\.stan$", "", basename(arguments[1])))
code <- tryCatch(rstan::stanc(arguments[1], model_name = name, obfuscate_model_name = FALSE)$cppcode,
                 error = function(e) { cat(conditionMessage(e), "\n", sep = ""); quit(status = 2) })
cat(code, file = arguments[2])
R
    cat "$work/messages" >&2
    fail "$program: Stan's translator refuses the program"
fi

# Hidden and local symbols: several models in one process keep their own autodiff stacks. USING_R leaves out a function
# that only CmdStan needs. The same operations in the same order give the same bits: no contraction.
echo "compiling $library, for about half a minute"
if ! "$compiler" -std=c++17 "${flags[@]}" -ffp-contract=off -shared -fPIC -fvisibility=hidden \
    -fvisibility-inlines-hidden -fno-gnu-unique -w -DBOOST_DISABLE_ASSERTS -DUSING_R \
    "-DPEARLITE_STAN_IDENTITY=\"pearlite-stan-$identity\"" -I"$here" -isystem "$headers/src" -isystem "$headers" \
    -isystem /usr/include/eigen3 -include "$work/program.hpp" "$here/stan_model.cpp" -Wl,-Bsymbolic \
    -o "$work/library.so" 2>"$work/messages"; then
    cat "$work/messages" >&2
    fail "$program: the compiler refuses the translated program"
fi
# Whole or not at all, even where a run has the old library open.
cp "$work/library.so" "$library.$$" && mv -f "$library.$$" "$library"
echo "made $library; a configuration names it as model.library"
