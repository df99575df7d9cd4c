#pragma once
/// The fields of a state in a container.

#include "core/fields.hpp"
#include "io/container/container.hpp"

namespace pearlite::io {

/// Fields that go to, or come from, a container: C is Writer or Reader.
template <class C>
class ContainerFields final : public Fields {
  public:
    explicit ContainerFields(C& container) : container_(container) {}

    bool is_reading() const override { return C::reading; }
    void operator()(std::string_view name, bool& value) override { container_(name, value); }
    void operator()(std::string_view name, double& value) override { container_(name, value); }
    void operator()(std::string_view name, std::int64_t& value) override { container_(name, value); }
    void operator()(std::string_view name, std::uint64_t& value) override { container_(name, value); }
    void operator()(std::string_view name, std::string& value) override { container_(name, value); }
    void operator()(std::string_view name, std::vector<double>& value) override { container_(name, value); }
    void operator()(std::string_view name, std::vector<std::int64_t>& value) override { container_(name, value); }
    void operator()(std::string_view name, std::vector<std::string>& value) override { container_(name, value); }
    void operator()(std::string_view name, Matrix& value) override { container_(name, value); }
    void sharded(std::string_view name, const ShardedField& field) override { container_.sharded(name, field); }
    bool has_items(std::string_view name, std::int64_t items) override {
        if constexpr (C::reading)
            return container_.has_items(name, items);
        else
            return true;
    }
    void read_among(const parallel::Communicator& some, const std::function<void()>& read) override {
        if constexpr (C::reading)
            container_.among(some, read);
        else
            read();
    }
    void enter(std::string_view group) override { container_.enter(group); }
    void leave() override { container_.leave(); }

  private:
    C& container_;
};

} // namespace pearlite::io
