#include "pearlite_python/calls.hpp"

#include "pearlite/core/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

namespace pearlite::python {

namespace {

py::object& raised() {
    // Python's objects must not outlive Python: this one is never destroyed.
    static auto* const object = new py::object(py::none()); // NOLINT(cppcoreguidelines-owning-memory)
    return *object;
}

py::detail::PyArray_Proxy& insides(const py::array& array) {
    return *py::detail::array_proxy(array.ptr());
}

py::array array_of(const Points& points) {
    constexpr auto size = static_cast<py::ssize_t>(sizeof(double));
    py::array array(py::dtype::of<double>(), {points.n, points.dimension},
                    {size * points.point_stride, size * points.coordinate_stride}, points.data, py::none());
    insides(array).flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
    return array;
}

/// The frames of an exception may be looked at for as long as Python lives: their points become a copy that stays.
void outlive_the_call(const py::array& array, const Points& points) {
    auto* const copy = new double[static_cast<std::size_t>(points.n * points.dimension)]; // NOLINT: it stays
    for (Index i = 0; i < points.n; ++i)
        for (Index k = 0; k < points.dimension; ++k)
            copy[i * points.dimension + k] =
                points.data[i * points.point_stride + k * points.coordinate_stride]; // NOLINT
    auto& inside = insides(array);
    inside.data = reinterpret_cast<char*>(copy);
    inside.strides[0] = points.dimension * static_cast<Index>(sizeof(double));
    inside.strides[1] = static_cast<Index>(sizeof(double));
}

bool is_kept(const py::array& array) {
    if (Py_REFCNT(array.ptr()) == 1)
        return false;
    py::module_::import("gc").attr("collect")(); // cycles, of an exception that was handled say
    return Py_REFCNT(array.ptr()) > 1;
}

[[noreturn]] void raise(PyObject* type, const std::string& message) {
    PyErr_SetString(type, message.c_str());
    throw py::error_already_set();
}

/// Keeps the exception that Python has raised, and throws an error in its place.
[[noreturn]] void keep_and_throw(py::error_already_set& error, const std::string& function) {
    const auto& value = error.value();
    if (error.trace())
        PyException_SetTraceback(value.ptr(), error.trace().ptr());
    raised() = value;
    throw Error(ErrorKind::other,
                fmt::format("{} raised {}: {}", function, py::str(error.type().attr("__name__")).cast<std::string>(),
                            py::str(value).cast<std::string>()));
}

} // namespace

py::object take_raised() {
    return std::exchange(raised(), py::none());
}

Function::Function(py::object function, std::string name)
    : function_(std::move(function)), name_(std::move(name)), has_function_(!function_.is_none()) {}

// Python objects may be given up with the lock alone. NOLINTNEXTLINE(bugprone-exception-escape)
Function::~Function() {
    const py::gil_scoped_acquire lock;
    function_ = py::object();
}

void Function::call(const Points& points, const std::function<py::tuple()>& arguments,
                    const std::function<void(py::object)>& take) const {
    const py::gil_scoped_acquire lock;
    const py::array array = array_of(points);
    try {
        take(arguments ? function_(array, *arguments()) : function_(array));
        if (is_kept(array))
            raise(PyExc_RuntimeError, fmt::format("{} kept its points (or a view of them) beyond the call: this memory "
                                                  "is Pearlite's own, expected a copy, x.copy()",
                                                  name_));
    } catch (py::error_already_set& error) {
        outlive_the_call(array, points);
        keep_and_throw(error, name_);
    }
}

void Function::numbers(const Points& points, std::span<double> out, const std::function<py::tuple()>& arguments) const {
    call(points, arguments, [&](const py::object& result) { copy_numbers(result, name_, std::array{points.n}, out); });
}

void Function::point(const std::function<py::tuple()>& arguments, std::span<double> out) const {
    const py::gil_scoped_acquire lock;
    try {
        copy_numbers(function_(*arguments()), name_, std::array{std::ssize(out)}, out);
    } catch (py::error_already_set& error) {
        keep_and_throw(error, name_);
    }
}

bool Function::answer(const py::tuple& arguments) const {
    try {
        return function_(*arguments).cast<bool>();
    } catch (py::error_already_set& error) {
        keep_and_throw(error, name_);
    }
}

void copy_numbers(const py::object& from, const std::string& function, std::span<const Index> shape,
                  std::span<double> out) {
    const auto array = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(from);
    if (!array || from.is_none())
        raise(PyExc_TypeError, fmt::format("{} returned {}, expected an array of numbers", function,
                                           py::str(py::type::of(from).attr("__name__")).cast<std::string>()));
    std::span<const Index> actual(array.shape(), static_cast<std::size_t>(array.ndim()));
    // Functions of scipy.stats return a number for a block of one point.
    if (actual.size() + 1 == shape.size() && shape[0] == 1)
        shape = shape.subspan(1);
    if (!std::ranges::equal(actual, shape))
        raise(PyExc_ValueError, fmt::format("{} returned an array of shape ({}), expected ({})", function,
                                            fmt::join(actual, ", "), fmt::join(shape, ", ")));
    std::memcpy(out.data(), array.data(), out.size_bytes());
}

} // namespace pearlite::python
