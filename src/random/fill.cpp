#include "random/fill_kernels.hpp"

namespace pearlite::random {

using simd::on_this_cpu;

void fill_bits(const Address& address, std::span<std::uint32_t> out) {
    on_this_cpu([&](auto cpu) { Fills<decltype(cpu)>::bits(address, out); });
}

void fill_uniform(const Address& address, std::span<float> out) {
    on_this_cpu([&](auto cpu) { Fills<decltype(cpu)>::uniform(address, out); });
}

void fill_uniform(const Address& address, std::span<double> out) {
    on_this_cpu([&](auto cpu) { Fills<decltype(cpu)>::uniform(address, out); });
}

void fill_normal(const Address& address, std::span<double> out) {
    fill_normal(address, 0, out);
}

void fill_normal(const Address& address, std::uint64_t first, std::span<double> out) {
    on_this_cpu([&](auto cpu) { Fills<decltype(cpu)>::normal(address, first, out); });
}

void fill_normal(const Address& address, std::uint64_t first, std::span<float> out) {
    on_this_cpu([&](auto cpu) { Fills<decltype(cpu)>::normal(address, first, out); });
}

void fill_exponential(const Address& address, std::span<double> out) {
    on_this_cpu([&](auto cpu) { Fills<decltype(cpu)>::exponential(address, out); });
}

void fill_bernoulli(const Address& address, std::span<const float> probabilities, std::span<float> out) {
    on_this_cpu([&](auto cpu) { Fills<decltype(cpu)>::bernoulli(address, probabilities, out); });
}

void fill_bernoulli(const Address& address, std::span<const float> probabilities, std::span<std::int8_t> out) {
    on_this_cpu([&](auto cpu) { Fills<decltype(cpu)>::bernoulli(address, probabilities, out); });
}

void fill_uniform_lanes(const Address& address, Index n, std::span<double> out) {
    on_this_cpu([&](auto cpu) { LaneFills<decltype(cpu)>::uniform(address, n, out); });
}

void fill_normal_lanes(const Address& address, Index n, std::span<double> out) {
    on_this_cpu([&](auto cpu) { LaneFills<decltype(cpu)>::normal(address, n, out); });
}

void fill_normal_lanes(const Address& address, Index n, std::span<float> out) {
    on_this_cpu([&](auto cpu) { LaneFills<decltype(cpu)>::normal(address, n, out); });
}

void fill_exponential_lanes(const Address& address, Index n, std::span<double> out, Index skip) {
    on_this_cpu([&](auto cpu) { LaneFills<decltype(cpu)>::exponential(address, n, out, skip); });
}

void fill_uniform_steps(const Address& address, Index n, std::span<double> out) {
    on_this_cpu([&](auto cpu) { LaneFills<decltype(cpu)>::uniform_of_steps(address, n, out); });
}

void fill_exponential_steps(const Address& address, Index n, std::span<double> out) {
    on_this_cpu([&](auto cpu) { LaneFills<decltype(cpu)>::exponential_of_steps(address, n, out); });
}

} // namespace pearlite::random
