// Overhead of calling a Python function with a block of 512 points, without the time of the function itself.

#include "pearlite_python/calls.hpp"

#include <benchmark/benchmark.h>
#include <pybind11/embed.h>

#include <vector>

namespace {

using namespace pearlite::python;

constexpr Index n = 512;

py::object ready_answer() {
    return py::eval("(lambda answer: lambda x: answer)(__import__('numpy').zeros(512))");
}

void through_pearlite(benchmark::State& state) {
    const Index d = state.range(0);
    const Function function(ready_answer(), "function");
    const std::vector<double> x(static_cast<std::size_t>(n * d));
    std::vector<double> out(n);
    const py::gil_scoped_release as_in_a_run;
    for (auto _ : state)
        function.numbers({x.data(), n, d, d, 1}, out);
}
BENCHMARK(through_pearlite)->Arg(2)->Arg(61)->UseRealTime();

void by_python(benchmark::State& state) {
    const auto function = ready_answer();
    const py::object x = py::none();
    for (auto _ : state)
        benchmark::DoNotOptimize(function(x));
}
BENCHMARK(by_python)->UseRealTime();

} // namespace

int main(int argc, char** argv) {
    const py::scoped_interpreter python;
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
