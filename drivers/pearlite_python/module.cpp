// The compiled part of the Python package pearlite. Users call pearlite/__init__.py and its neighbours.

#include "app/commands/comparison.hpp"
#include "app/embedding/session.hpp"
#include "app/posterior/draws_files.hpp"
#include "app/written/summary.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite_python/models.hpp"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <memory>
#include <optional>
#include <string>

namespace pearlite::python {

namespace {

std::unique_ptr<app::Session>& running() {
    static std::unique_ptr<app::Session> session;
    return session;
}
/// MPI begins with the first request that needs it.
const app::Session& session() {
    if (!running())
        running() = std::make_unique<app::Session>("pearlite", "the same call with resume=True");
    return *running();
}

const char* class_of(ErrorKind kind) {
    switch (kind) {
    case ErrorKind::input:
        return "InputError";
    case ErrorKind::file:
        return "FileError";
    case ErrorKind::numerical:
        return "NumericalError";
    case ErrorKind::none:
    case ErrorKind::contract:
    case ErrorKind::other:
        break;
    }
    return "PearliteError";
}

// pybind11 gives a value. NOLINTNEXTLINE(performance-unnecessary-value-param)
void translate(std::exception_ptr error) {
    try {
        if (error)
            std::rethrow_exception(error);
    } catch (const Error& e) {
        const auto type = py::module_::import("pearlite._errors").attr(class_of(e.kind()));
        PyErr_SetString(type.ptr(), e.what());
    }
}

struct Model {
    app::ModelEntry entry;
};

/// callback(facts of the progress): false ends the run.
void set_callback(app::Task& task, const py::object& callback) {
    const auto held = std::make_shared<Function>(callback, "callback");
    task.goes_on = [held](const algorithm::Progress& now) {
        const py::gil_scoped_acquire lock;
        const auto best = now.best_energy ? py::object(py::float_(*now.best_energy)) : py::object(py::none());
        return held->answer(py::make_tuple(now.step, now.steps, now.inverse_temperature, now.ess, now.log_ratio, best,
                                           now.temperature, now.in_pilot, now.stage));
    };
}

py::tuple run(const std::optional<Model>& model, const app::Task& task) {
    const app::Catalogue models = model ? app::Catalogue{model->entry} : app::built_in_models();
    const auto last_words = [] {
        const py::gil_scoped_acquire lock;
        py::module_::import("pearlite._ranks").attr("last_words")();
    };
    take_raised();
    app::Ended ended;
    {
        const py::gil_scoped_release others_may_run;
        ended = session().run(models, task, last_words);
    }
    return py::make_tuple(ended.finished, ended.signal, ended.text);
}

} // namespace

PYBIND11_MODULE(_core, m) { // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): pybind11's
    m.doc() = "The compiled part of pearlite: not for users.";
    m.attr("version") = PEARLITE_PACKAGE_VERSION;
    py::register_local_exception_translator(translate);

    py::class_<Model>(m, "Model"); // NOLINT(bugprone-unused-raii): it stays in the module
    py::class_<Described>(m, "Described")
        .def(py::init<std::vector<std::string>, py::object, std::vector<std::string>, std::string>());
    m.def("density", [](const Described& described, py::object log_prior, py::object draw_prior,
                        py::object log_likelihood, py::object gradient, bool is_estimated,
                        std::optional<double> exact) {
        return Model{density_of(described, {std::move(log_prior), std::move(draw_prior), std::move(log_likelihood),
                                            std::move(gradient), is_estimated, exact})};
    });
    m.def("joint_density", [](const Described& described, py::object log_density, py::object gradient) {
        return Model{joint_density_of(described, std::move(log_density), std::move(gradient))};
    });
    m.def("energy", [](std::vector<double> lower, std::vector<double> upper, py::object energy, py::object gradient,
                       bool is_periodic, std::optional<double> known_minimum, std::string identity) {
        return Model{energy_of(std::move(lower), std::move(upper), std::move(energy), std::move(gradient), is_periodic,
                               known_minimum, std::move(identity))};
    });

    py::class_<app::Task>(m, "Task")
        .def(py::init())
        .def_readwrite("configuration", &app::Task::configuration)
        .def_readwrite("name", &app::Task::name)
        .def_readwrite("base", &app::Task::base)
        .def_readwrite("directory", &app::Task::directory)
        .def_readwrite("overwrite", &app::Task::overwrite)
        .def_readwrite("resume", &app::Task::resume)
        .def_readwrite("time_limit", &app::Task::time_limit)
        .def_readwrite("patience", &app::Task::patience)
        .def_readwrite("step_limit", &app::Task::step_limit)
        .def_readwrite("data_directory", &app::Task::data_directory)
        .def_readwrite("prints_progress", &app::Task::prints_progress)
        .def("set_callback", set_callback);
    m.def("run", run, "(finished, signal, text) of a run; on all ranks together.");
    m.def("write_draws", app::write_draws, "The draws of a directory as CmdStan writes them; the files.");
    m.def("describe", app::describe_summary, "The result of a directory in words.");
    m.def("compare", app::compare_runs, "Evidences of directories side by side, in words.");

    m.def("take_raised", take_raised, "The exception that a function raised in the last run, or None.");
    m.def("rank", [] { return session().rank(); });
    m.def("size", [] { return session().size(); });
    m.def("first_that", [](bool is_it) { return session().first_that(is_it); });
    m.def("broadcast", [](const py::bytes& bytes, int root) {
        return py::bytes(session().broadcast(static_cast<std::string>(bytes), root));
    });
    m.def("has_begun", [] { return running() != nullptr; });
    m.def("all_arrive", [](double seconds) { return session().all_arrive(seconds); });
    m.def("abort", [](int status) { app::Session::abort(status); });
    m.def("finish", [] { running().reset(); });
}

} // namespace pearlite::python
