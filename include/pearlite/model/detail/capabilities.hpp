#pragma once
/// Capabilities: optional interfaces of a model, asked for by name.

#include <memory>
#include <typeindex>
#include <utility>
#include <vector>

namespace pearlite::model {

/// A list of interfaces, each of which is offered or not:
///
///     if (const auto* ends = target.offers<EndSampler>())
///         ends->draw_end(block, b_end, streams);
class Capabilities {
  public:
    Capabilities(const Capabilities&) = delete;
    Capabilities& operator=(const Capabilities&) = delete;

    /// Null if C is not offered. The pointer lives as long as this object.
    template <class C>
    const C* offers() const {
        for (const auto& [type, capability] : list_)
            if (type == typeid(C))
                return static_cast<const C*>(capability.get());
        return nullptr;
    }

  protected:
    Capabilities() = default;
    ~Capabilities() = default;

    template <class C>
    void offer(std::shared_ptr<const C> capability) {
        list_.emplace_back(typeid(C), std::move(capability));
    }
    /// Offers the capability C of another object, if it has C; that object must outlive this one.
    template <class C>
    void pass_on(const Capabilities& other) {
        if (const C* capability = other.offers<C>())
            offer(std::shared_ptr<const C>(std::shared_ptr<const C>(), capability));
    }

  private:
    std::vector<std::pair<std::type_index, std::shared_ptr<const void>>> list_;
};

} // namespace pearlite::model
