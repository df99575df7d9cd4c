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
#include <sys/socket.h>
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
    template <class Write>
    bool write(std::span<const std::byte> bytes, const Write& write) {
        return all(bytes, write);
    }
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

bool send(PipeEnd& pipe, FileReader read, const ReadRequest& request) {
    std::vector<Matrix> matrices;
    ErrorReport error;
    try {
        matrices = read(request);
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

/// In a new child: reads, sends and ends.
[[noreturn]] void answer(PipeEnd& pipe, FileReader read, const ReadRequest& request) {
    limit_this_process(patience(request.file));
    std::_Exit(send(pipe, read, request) ? EXIT_SUCCESS : EXIT_FAILURE);
}

// Messages of the two processes over a socket.

struct RequestHead {
    FileReader read = nullptr; ///< the same address in both, because one is a fork of the other
    Index largest = 0;
    std::int64_t least_dimensions = 0;
    std::array<std::int64_t, 3> lengths{}; ///< of the file, the name, and the working directory
};

/// Sends the end of a pipe; false if nobody listens.
bool send_descriptor(int socket, int descriptor) {
    std::array<char, CMSG_SPACE(sizeof(int))> control{};
    char byte = 0;
    iovec data{&byte, 1};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    auto* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(head), &descriptor, sizeof(int));
    ssize_t sent = 0;
    do
        sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == 1;
}

/// -1 if the other process is no more.
int receive_descriptor(int socket) {
    std::array<char, CMSG_SPACE(sizeof(int))> control{};
    char byte = 0;
    iovec data{&byte, 1};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    ssize_t got = 0;
    do
        got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    const auto* const head = got == 1 ? CMSG_FIRSTHDR(&message) : nullptr;
    int descriptor = -1;
    if (head != nullptr && head->cmsg_type == SCM_RIGHTS)
        std::memcpy(&descriptor, CMSG_DATA(head), sizeof(int));
    return descriptor;
}

/// Answers one request by a child; false at the end of requests.
bool serve(PipeEnd& socket, int descriptor_of_socket) {
    PipeEnd out(receive_descriptor(descriptor_of_socket));
    RequestHead head;
    if (!socket.read(bytes_of(head)))
        return false;
    std::array<std::string, 3> texts;
    for (std::size_t k = 0; k < texts.size(); ++k) {
        texts[k].resize(static_cast<std::size_t>(head.lengths[k]));
        if (!socket.read(std::as_writable_bytes(std::span(texts[k]))))
            return false;
    }
    const pid_t child = ::fork();
    if (child == 0) {
        if (::chdir(texts[2].c_str()) != 0)
            std::_Exit(EXIT_FAILURE);
        answer(out, head.read, {texts[0], texts[1], head.largest, static_cast<int>(head.least_dimensions)});
    }
    out.close();
    int status = child < 0 ? -1 : wait_for(child);
    return socket.write(bytes_of(status));
}

/// Waits for requests until the other end of the socket is closed. Signals to stop are for the program, which ends this
/// process, too.
[[noreturn]] void serve_for_ever(int descriptor) {
    for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGPIPE})
        std::signal(signal, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    constexpr int own = STDERR_FILENO + 1;
    ::dup2(descriptor, own);
    ::close_range(own + 1, ~0U, 0);
    PipeEnd socket(own);
    while (serve(socket, own)) {
    }
    std::_Exit(EXIT_SUCCESS);
}

/// The process that is ready to read, and the socket to it; -1: there is none.
struct Ready {
    pid_t process = -1;
    int socket = -1;
};
Ready ready;

/// Asks the process that is ready; it answers at `out`. False if it is no more.
bool ask(FileReader read, const ReadRequest& request, int out) {
    std::error_code error;
    const std::array<std::string, 3> texts{request.file.string(), request.name,
                                           std::filesystem::current_path(error).string()};
    RequestHead head{read, request.largest, request.least_dimensions, {}};
    for (std::size_t k = 0; k < texts.size(); ++k)
        head.lengths[k] = std::ssize(texts[k]);
    const auto post = [](int socket, const void* bytes, std::size_t size) {
        return ::send(socket, bytes, size, MSG_NOSIGNAL);
    };
    PipeEnd socket(::dup(ready.socket));
    bool is_sent = send_descriptor(ready.socket, out) && socket.write(bytes_of(head), post);
    for (const auto& text : texts)
        is_sent = is_sent && socket.write(std::as_bytes(std::span(text)), post);
    return is_sent;
}

[[noreturn]] void fail_to_read(const std::filesystem::path& file) {
    throw FileError(file.string() + ": cannot be read apart: " + std::strerror(errno));
}

} // namespace

std::vector<Matrix> read_in_child_process(FileReader read, const ReadRequest& request) {
    const auto& file = request.file;
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        fail_to_read(file);
    PipeEnd out(ends[0]), in(ends[1]);
    const bool is_asked = ready.socket >= 0 && ask(read, request, ends[1]);
    const pid_t child = is_asked ? -1 : ::fork();
    if (!is_asked && child < 0)
        fail_to_read(file);
    if (child == 0)
        answer(in, read, request);
    in.close();
    Head head;
    std::string message;
    std::vector<Matrix> matrices;
    const bool is_whole = receive(out, head, message, matrices);
    out.close();
    int status = 0;
    if (!is_asked)
        status = wait_for(child);
    else if (PipeEnd socket(::dup(ready.socket)); !socket.read(bytes_of(status)))
        status = EXIT_FAILURE;
    if (!is_whole && WIFSIGNALED(status))
        throw InputError(file.string() + ": is damaged, expected a file that its library can read (it " +
                         (WTERMSIG(status) == SIGXCPU ? "finds no end" : "crashes over this one") + ")");
    if (!is_whole)
        throw Error(ErrorKind::other, file.string() + ": the process that reads it failed");
    if (head.error != ErrorKind::none)
        throw_error(head.error, message);
    return matrices;
}

ReadyToRead::ReadyToRead() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return; // reads are then made by children of this process
    ready.process = ::fork();
    if (ready.process == 0)
        serve_for_ever(ends[1]);
    ::close(ends[1]);
    ready.socket = ends[0];
    if (ready.process < 0)
        ::close(std::exchange(ready.socket, -1));
}

ReadyToRead::~ReadyToRead() {
    if (ready.socket < 0)
        return;
    ::close(std::exchange(ready.socket, -1));
    wait_for(std::exchange(ready.process, -1));
}

} // namespace pearlite::io
