#pragma once
/// Calls of Python functions with whole blocks of points.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace pearlite::python {

namespace py = pybind11;

using Index = std::ptrdiff_t;

/// Returns the exception that a Python function has raised since the last call, or None. Such an exception travels
/// through the program as a pearlite::Error, and is raised again at the start of the run's call.
py::object take_raised();

/// Points in the program's memory.
struct Points {
    const double* data = nullptr;
    Index n = 0, dimension = 0;
    Index point_stride = 0, coordinate_stride = 1; ///< in numbers
};

/// A Python function. It may be called by threads that do not hold the interpreter's lock.
class Function {
  public:
    /// `name`: in messages. None: no function.
    Function(py::object function, std::string name);
    ~Function(); // NOLINT(bugprone-exception-escape): as in its definition
    Function(const Function&) = delete;
    Function& operator=(const Function&) = delete;

    bool is_there() const { return has_function_; }

    /// Calls f(x, arguments...) and passes its result to `take`, with the interpreter's lock. x holds the points as an
    /// array (n, d) that shares their memory and cannot be written. An exception of either is kept (take_raised) and
    /// thrown as a pearlite::Error. A function that keeps x or a view of it beyond the call raises RuntimeError.
    void call(const Points& points, const std::function<py::tuple()>& arguments,
              const std::function<void(py::object)>& take) const;
    /// f(x, arguments...), n numbers.
    void numbers(const Points& points, std::span<double> out, const std::function<py::tuple()>& arguments = {}) const;
    /// f(arguments...), true or false.
    bool answer(const py::tuple& arguments) const;
    /// f(arguments...), out.size() numbers.
    void point(const std::function<py::tuple()>& arguments, std::span<double> out) const;

    const std::string& name() const { return name_; }

  private:
    py::object function_;
    std::string name_;
    bool has_function_;
};

/// Copies an array of this shape, of anything that becomes float64. ValueError for another shape.
void copy_numbers(const py::object& from, const std::string& function, std::span<const Index> shape,
                  std::span<double> out);

} // namespace pearlite::python
