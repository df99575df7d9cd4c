#include "pearlite/io/arrays.hpp"

#include "io/input_files.hpp"

#include <cstdio>
#include <gmock/gmock.h>
#include <sys/wait.h>

namespace pearlite::io {
namespace {

using ::testing::HasSubstr;

struct Finished {
    int status;
    std::string output;
};

/// Runs a shell command; both output streams are returned.
Finished run(const std::string& command) {
    Finished finished{-1, ""};
    if (FILE* pipe = popen(("(" + command + ") 2>&1").c_str(), "r")) {
        char buffer[4096];
        while (const std::size_t count = fread(buffer, 1, sizeof buffer, pipe)) {
            finished.output.append(buffer, count);
        }
        const int status = pclose(pipe);
        finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    return finished;
}

/// The first Python that has the modules; the one on PATH may be another than the system's.
std::string find_python() {
    for (const std::string python : {"python3", "/usr/bin/python3"}) {
        if (run(python + " -c 'import h5py, numpy, scipy.io'").status == 0) {
            return python;
        }
    }
    return "";
}

constexpr const char* script = PEARLITE_SOURCE_DIR "/drivers/import_rbm.py";

/// Saves a small RBM by scipy, as it is and with one mistake after another, then imports each file: one process for
/// all, because starting Python costs more than the rest. Prints file, exit status and message of each import.
constexpr const char* many_mistakes = R"(
import contextlib, io, os, runpy, sys
import numpy, scipy.io

def small_rbm():
    return {'vishid': numpy.arange(6.0).reshape(2, 3), 'visbiases': numpy.array([[0.5, -0.5]]),
            'hidbiases': numpy.array([[7.0], [8.0], [9.0]])}

os.chdir(sys.argv[1])
matlab = {'whole': {}, 'swapped': {'vishid': small_rbm()['vishid'].T}, 'square': {'visbiases': numpy.ones((2, 2))},
          'infinite': {'vishid': numpy.full((2, 3), numpy.inf)}, 'text': {'vishid': 'weights'}}
for name, changes in matlab.items():
    scipy.io.savemat(name + '.mat', small_rbm() | changes)
scipy.io.savemat('incomplete.mat', {'vishid': small_rbm()['vishid']})
files = {'damaged.mat': b'MATLAB 5.0 MAT-file', 'short.f64': b'x', 'long.f64': b'\1' + b'\0' * 7 + b'\1' + b'\0' * 32,
         'weights.txt': b''}
for name, content in files.items():
    with open(name, 'wb') as file:
        file.write(content)

inputs = [name + '.mat' for name in matlab] + ['incomplete.mat', 'absent.mat'] + list(files)
jobs = [(name, name + '.h5') for name in inputs]
jobs += [('whole.mat', 'whole.f64'), ('whole.mat', 'no/such/directory.h5'), ('whole.mat', 'whole.npy')]
for name, output in jobs:
    sys.argv = ['import_rbm.py', name, '-o', output]
    printed = io.StringIO()
    status = 0
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            runpy.run_path(os.environ['SCRIPT'], run_name='__main__')
        except SystemExit as finished:
            status = finished.code or 0
    sys.stdout.write(f'{status} {printed.getvalue()}')
)";

class ImportRbm : public ::testing::Test {
  protected:
    void SetUp() override {
        if (python_.empty()) {
            GTEST_SKIP() << "no python3 with h5py, numpy and scipy was found";
        }
    }

    const std::string& python() const { return python_; }
    std::string quoted(const std::string& name) const {
        return std::string("'").append(directory_.path() / name).append("'");
    }

    testing::TemporaryDirectory directory_;

  private:
    inline static const std::string python_ = find_python();
};

TEST_F(ImportRbm, converts_flat_files) {
    const std::int64_t sizes[2] = {1, 2};
    const double values[5] = {0.25, 1, 2, 3, 4};
    std::string bytes(reinterpret_cast<const char*>(sizes), sizeof sizes);
    bytes.append(reinterpret_cast<const char*>(values), sizeof values);
    const auto flat = directory_.write("weights.f64", bytes);
    const Finished finished =
        run(python() + " '" + script + "' " + quoted("weights.f64") + " -o " + quoted("weights.h5"));
    ASSERT_EQ(finished.status, 0) << finished.output;
    const RbmArrays imported = read_rbm(directory_.path() / "weights.h5");
    const RbmArrays direct = read_rbm(flat);
    EXPECT_EQ(imported.weights, direct.weights);
    EXPECT_EQ(imported.visible_bias, direct.visible_bias);
    EXPECT_EQ(imported.hidden_bias, direct.hidden_bias);
}

TEST_F(ImportRbm, converts_matlab_files_and_refuses_what_is_not_an_rbm) {
    directory_.write("many.py", many_mistakes);
    const Finished finished =
        run("SCRIPT='" + std::string(script) + "' " + python() + " " + quoted("many.py") + " " + quoted(""));
    ASSERT_EQ(finished.status, 0) << finished.output;
    for (const char* whole : {"whole.mat.h5", "whole.f64"}) {
        const RbmArrays rbm = read_rbm(directory_.path() / whole);
        EXPECT_EQ(rbm.weights, (Matrix(2, 3) << 0, 1, 2, 3, 4, 5).finished());
        EXPECT_EQ(rbm.visible_bias, Eigen::Vector2d(0.5, -0.5));
        EXPECT_EQ(rbm.hidden_bias, Eigen::Vector3d(7, 8, 9));
    }

    const std::string refused = "2 import_rbm.py: error: ";
    for (const char* message :
         {"swapped.mat: weights are 3 x 2, expected 2 x 3", "square.mat: 'visbiases' is 2 x 2, expected a row",
          "infinite.mat: the weights are not all finite", "text.mat: 'vishid' is not a matrix of real numbers",
          "incomplete.mat: no variable 'visbiases'", "absent.mat: No such file", "damaged.mat: not a MATLAB file",
          "short.f64: ends at byte 1", "long.f64: 41 bytes, expected 40 for n_visible = 1, n_hidden = 1",
          "weights.txt: unknown kind of file '.txt', expected .mat or .f64",
          "no/such/directory.h5: cannot be written (No such file or directory)"}) {
        EXPECT_THAT(finished.output, HasSubstr(refused + message));
    }
    EXPECT_THAT(finished.output, HasSubstr("the output is 'whole.npy', expected a name that ends in .h5 or .f64"));
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
        const std::string name = entry.path().filename().string();
        EXPECT_TRUE(name == "whole.mat.h5" || name.find(".h5") == std::string::npos) << name << " was left behind";
    }
}

} // namespace
} // namespace pearlite::io
