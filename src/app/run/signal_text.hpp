#pragma once
/// Texts of signal handlers, which may neither take memory nor use streams. Private to this layer.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <unistd.h>

namespace pearlite::app {

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
