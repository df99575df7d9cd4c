#pragma once
/// Requests to stop from outside: SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGXCPU.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <unistd.h>

namespace pearlite::app {

/// While an object lives, the signals only set a flag and wake the watchdog, if there is one. SIGXFSZ (a limit of file
/// sizes) and SIGPIPE (stderr is closed) are ignored from then on: the writes fail. One at a time in a process: a
/// signal handler can only reach process state.
class StopSignals {
  public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    /// The signal that came last, or 0.
    static int received();
};

/// A text that a signal handler may compose: it takes no memory, and cuts what does not fit.
class SignalText {
  public:
    void set(std::string_view text) {
        length_ = 0;
        add(text);
    }
    void add(std::string_view text) {
        const auto n = std::min(text.size(), characters_.size() - length_);
        std::memcpy(characters_.data() + length_, text.data(), n);
        length_ += n;
    }
    /// @pre number >= 0
    void add(std::int64_t number) {
        std::array<char, 20> digits{};
        auto first = digits.size();
        do
            digits[--first] = static_cast<char>('0' + number % 10);
        while ((number /= 10) > 0);
        add(std::string_view(digits.data() + first, digits.size() - first));
    }
    std::string_view view() const { return {characters_.data(), length_}; }

  private:
    std::array<char, 8192> characters_{};
    std::size_t length_ = 0;
};

/// Writes as much as the file takes.
inline void write_now(int file, std::string_view text) {
    while (!text.empty()) {
        const auto written = write(file, text.data(), text.size());
        if (written <= 0)
            return;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

} // namespace pearlite::app
