#include "io/files/child_process.hpp"

#include "pearlite/core/error.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <span>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace pearlite::io {
namespace {

/// The first message of the child: a number of matrices, or the kind and the length of an error's message.
struct Head {
    std::int64_t matrices = 0;
    ErrorKind error = ErrorKind::none;
    std::int64_t length = 0;
};

/// One end of a pipe.
class PipeEnd {
  public:
    explicit PipeEnd(int descriptor) : descriptor_(descriptor) {}
    PipeEnd(const PipeEnd&) = delete;
    ~PipeEnd() { close(); }
    void close() {
        if (descriptor_ >= 0)
            ::close(std::exchange(descriptor_, -1));
    }

    /// Both return false if the other end is no more.
    bool write(std::span<const std::byte> bytes) { return all(bytes, ::write); }
    bool read(std::span<std::byte> bytes) { return all(bytes, ::read); }

  private:
    template <class Bytes, class Move>
    bool all(Bytes bytes, const Move& move) {
        while (!bytes.empty()) {
            const auto moved = move(descriptor_, bytes.data(), bytes.size());
            if (moved < 0 && errno == EINTR)
                continue;
            if (moved <= 0)
                return false;
            bytes = bytes.subspan(static_cast<std::size_t>(moved));
        }
        return true;
    }

    int descriptor_;
};

template <class T>
auto bytes_of(T& value) {
    return std::as_writable_bytes(std::span(&value, 1));
}

auto bytes_of(Matrix& matrix) {
    return std::as_writable_bytes(std::span(matrix.data(), static_cast<std::size_t>(matrix.size())));
}

/// The child dies by the signal of a crash, whatever this program does about such signals, with its parent, and with
/// its time.
void limit_this_process(rlim_t seconds) {
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU})
        std::signal(signal, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const rlimit time{seconds, seconds + 1}, no_core{0, 0};
    setrlimit(RLIMIT_CPU, &time);
    setrlimit(RLIMIT_CORE, &no_core);
}

bool send(PipeEnd& pipe, const std::function<std::vector<Matrix>()>& read) {
    std::vector<Matrix> matrices;
    ErrorReport error;
    try {
        matrices = read();
    } catch (...) {
        error = pearlite::describe(std::current_exception());
    }
    Head head{std::ssize(matrices), error.kind, std::ssize(error.message)};
    bool is_sent = pipe.write(bytes_of(head)) && pipe.write(std::as_bytes(std::span(error.message)));
    for (Matrix& matrix : matrices) {
        std::array<Index, 2> shape{matrix.rows(), matrix.cols()};
        is_sent = is_sent && pipe.write(bytes_of(shape)) && pipe.write(bytes_of(matrix));
    }
    return is_sent;
}

/// False if the child ended before it had sent all.
bool receive(PipeEnd& pipe, Head& head, std::string& message, std::vector<Matrix>& matrices) {
    if (!pipe.read(bytes_of(head)))
        return false;
    message.resize(static_cast<std::size_t>(head.length));
    if (!pipe.read(std::as_writable_bytes(std::span(message))))
        return false;
    for (std::int64_t k = 0; k < head.matrices; ++k) {
        std::array<Index, 2> shape{};
        if (!pipe.read(bytes_of(shape)))
            return false;
        matrices.emplace_back(shape[0], shape[1]);
        if (!pipe.read(bytes_of(matrices.back())))
            return false;
    }
    return true;
}

int wait_for(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

rlim_t patience(const std::filesystem::path& file) {
    constexpr rlim_t least = 2, bytes_a_second = rlim_t{1} << 20;
    std::error_code error;
    const auto bytes = std::filesystem::file_size(file, error);
    return least + (error ? 0 : bytes / bytes_a_second);
}

} // namespace

std::vector<Matrix> read_in_child_process(const std::filesystem::path& file,
                                          const std::function<std::vector<Matrix>()>& read) {
    const auto seconds = patience(file);
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw FileError(file.string() + ": cannot be read apart: " + std::strerror(errno));
    PipeEnd out(ends[0]), in(ends[1]);
    const pid_t child = ::fork();
    if (child < 0)
        throw FileError(file.string() + ": cannot be read apart: " + std::strerror(errno));
    if (child == 0) {
        limit_this_process(seconds);
        std::_Exit(send(in, read) ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    in.close();
    Head head;
    std::string message;
    std::vector<Matrix> matrices;
    const bool is_whole = receive(out, head, message, matrices);
    out.close();
    const int status = wait_for(child);
    if (!is_whole && WIFSIGNALED(status))
        throw InputError(file.string() + ": is damaged, expected a file that its library can read (it " +
                         (WTERMSIG(status) == SIGXCPU ? "finds no end" : "crashes over this one") + ")");
    if (!is_whole)
        throw Error(ErrorKind::other, file.string() + ": the process that reads it failed");
    if (head.error != ErrorKind::none)
        throw_error(head.error, message);
    return matrices;
}

} // namespace pearlite::io
