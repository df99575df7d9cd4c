#pragma once
/// Contracts: what a function expects of its caller and promises in return. They stay on in every build: they stand at
/// block height, never inside inner loops, and a violation is thrown so that all ranks can agree on it.

namespace pearlite::detail {
[[noreturn]] void contract_violated(const char* kind, const char* condition, const char* file, int line);
}

#define PEARLITE_EXPECTS(condition)                                                                                    \
    ((condition) ? static_cast<void>(0)                                                                                \
                 : ::pearlite::detail::contract_violated("precondition", #condition, __FILE__, __LINE__))
#define PEARLITE_ENSURES(condition)                                                                                    \
    ((condition) ? static_cast<void>(0)                                                                                \
                 : ::pearlite::detail::contract_violated("postcondition", #condition, __FILE__, __LINE__))
