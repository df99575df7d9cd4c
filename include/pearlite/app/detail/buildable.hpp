#pragma once
/// How a user's class is made from its [model] table.

#include "pearlite/app/catalogue.hpp"
#include "pearlite/io/configuration.hpp"

#include <concepts>
#include <memory>
#include <utility>

namespace pearlite::app {

/// T reads its own keys of [model] when it is constructed.
template <class T>
concept ReadsConfiguration = std::constructible_from<T, io::Section&>;
template <class T>
concept Buildable = (ReadsConfiguration<T> || std::default_initializable<T>)&&std::move_constructible<T>;

namespace detail {

template <class T>
constexpr void require_buildable() {
    static_assert(ReadsConfiguration<T> || std::default_initializable<T>,
                  "this model lacks a constructor: explicit T(pearlite::io::Section& section)  (reads its keys of "
                  "[model]), or one without arguments");
    static_assert(std::move_constructible<T>, "this model cannot be moved");
}

/// Makes a T and hands it to `wrap`. Invalid keys are replaced by defaults, so ignore errors of the constructor and
/// report the keys.
template <class T, class Wrap>
std::unique_ptr<BuiltModel> build(io::Configuration& configuration, io::Section& section, Wrap wrap) {
    try {
        if constexpr (ReadsConfiguration<T>) {
            T model(section);
            return configuration.has_errors() ? nullptr : wrap(std::move(model));
        } else {
            return wrap(T{});
        }
    } catch (...) {
        configuration.check_asked();
        throw;
    }
}

} // namespace detail

} // namespace pearlite::app
