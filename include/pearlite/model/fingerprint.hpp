#pragma once
/// The identity of a model as bytes: name, sizes, data. It reveals a checkpoint that was made by another model or with
/// other data.

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

namespace pearlite::model {

/// Receives the bytes that define a model (into a hash, say).
class Fingerprint {
  public:
    using Sink = std::function<void(std::span<const std::byte>)>;
    explicit Fingerprint(Sink sink) : sink_(std::move(sink)) {}

    void add(std::string_view text) { sink_(std::as_bytes(std::span(text))); }
    void add(double value) { sink_(std::as_bytes(std::span(&value, 1))); }
    void add(std::span<const double> values) { sink_(std::as_bytes(values)); }

  private:
    Sink sink_;
};

} // namespace pearlite::model
