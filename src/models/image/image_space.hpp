#pragma once
/// Images of two colours searched for low energies: many chains, with one-pixel heat baths, rectangles, Wolff's
/// clusters and two-point crossovers.

#include "models/image/image_restoration.hpp"
#include "pearlite/model/energy/detail/search_space.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pearlite::models {

struct ImageSpaceSettings {
    enum class Start {
        observed, ///< y
        random    ///< uniform on all images, another one for each chain
    };
    /// pixel, rectangle, cluster, two-point-crossover.
    std::vector<std::string> operations{"pixel", "two-point-crossover"};
    Index rectangle_limit = 16;  ///< the longest side of a flipped rectangle; the image's own sides limit it too
    double cluster_strength = 0; ///< of the bonds, >= 0; 0: the pair weight b
    Start start = Start::observed;
    bool exact = false; ///< whether known_minimum() computes the minimum
};

enum class ImageOperation : std::uint8_t { pixel, rectangle, cluster, two_point_crossover };

/// Images side by side, and their proposals. Proposals are kept as changes, without new images.
class ImageChains {
  public:
    /// All images begin as the observed image.
    ImageChains(std::shared_ptr<const ImageRestoration> model, Index size);

    Index size() const { return static_cast<Index>(states_.size()); }
    Index padded_size() const { return padded(size()); }
    /// As ImageRestoration stores an image: crossovers would spend their time on packing it more tightly.
    std::size_t packed_bytes() const { return model_->stored_bytes(); }
    void pack(Index slot, std::span<std::byte> out) const;
    void unpack(Index slot, std::span<const std::byte> in);

    const ImageState& state(Index slot) const;
    /// Row by row, 0 or 1.
    std::vector<std::uint8_t> pixels(Index slot) const { return model_->pixels(state(slot)); }

  private:
    friend class ImageSpace;
    struct Change {
        ImageCounts counts;
        Index from = 0; ///< the pixel; of a crossover the first one; of a cluster its first place in members_
        Index to = 0;   ///< of a crossover and a cluster: one behind the last
    };
    void propose(Index slot, const Change& change, double log_ratio, model::Proposals& proposals);

    std::shared_ptr<const ImageRestoration> model_;
    std::vector<ImageState> states_;
    // The last proposals, and room that is used again:
    ImageOperation operation_ = ImageOperation::pixel;
    std::vector<Change> changes_;
    std::vector<ImageRectangle> rectangles_;
    std::vector<std::int32_t> members_; ///< the pixels of all clusters, one after another
    // Of chains that cross over:
    std::vector<ImageState> partners_;
    std::vector<ImageCounts> other_counts_; ///< the changes of the partners' counts
    std::vector<Index> first_of_pair_;      ///< where this one's child was made; -1: here
    std::vector<double> uniforms_;
    ImageCluster cluster_;
};

/// Operations, all symmetric but the cluster, which has its ratio:
///
///   pixel                flips a uniformly random pixel; meant for a heat bath (one-pixel Gibbs)
///   rectangle            flips a rectangle: sides uniform on 1 .. limit, then uniform on all places inside the image
///   cluster              flips a cluster of Wolff's, bound with the strength `scale` (b / tau would leave the prior
///                        out of the acceptance at temperature tau, but any is right). With a scale for each region
///                        there is no such ratio in closed form, so `by_region` is ignored: the strength is the same
///                        everywhere
///   two-point-crossover  two images exchange the pixels, numbered row by row, between two cut points
///
/// All energies are updated, from counts that stay exact.
class ImageSpace {
  public:
    using Chains = ImageChains;

    /// InputError for an operation that does not exist, is listed twice or does not fit the image; if there is no
    /// mutation among them; for a rectangle limit below 1 or a strength that is no number >= 0.
    explicit ImageSpace(ImageRestoration model, ImageSpaceSettings settings = {});

    const ImageRestoration& model() const { return *model_; }
    const ImageSpaceSettings& settings() const { return settings_; }
    /// Names that settings may list.
    static const std::vector<std::string>& names();

    std::span<const model::Operation> operations() const { return list_; }
    Chains make_chains(Index n) const { return Chains(model_, n); }
    void draw_start(Chains& chains, const model::BlockStreams& streams) const;
    /// Padding gets 0, as do its proposals.
    void evaluate(const Chains& chains, std::span<double> out) const;
    /// ContractViolation for the crossover. `energies` are not looked at: the chains know theirs.
    void mutate(Chains& chains, Index op, const model::ProposalScale& scale, std::span<const double> energies,
                const model::BlockStreams& streams, model::Proposals& proposals) const;
    /// Inactive chains propose their own state. ContractViolation for a mutation.
    void cross(Chains& chains, const model::Partners<Chains>& partners, Index op, const model::Meetings& meetings,
               const model::ProposalScale& scale, std::span<const double> energies, const model::BlockStreams& streams,
               model::Proposals& proposals) const;
    void accept(Chains& chains, std::span<const std::uint8_t> accepted) const;
    /// The energy of the minimum cut, computed when first asked for (not by two threads at once); nothing unless the
    /// settings ask for it.
    std::optional<double> known_minimum() const;
    /// Covers the model; the settings are not part of it.
    void fingerprint(model::Fingerprint& fingerprint) const { model_->fingerprint(fingerprint); }
    /// The pixels, row by row; the images are this one and the observed one.
    model::StateDescription describe(std::span<const std::byte> packed) const;

  private:
    ImageOperation operation(Index op) const;
    void flip_pixels(Chains& chains, const model::BlockStreams& streams, model::Proposals& proposals) const;
    void flip_rectangles(Chains& chains, const model::BlockStreams& streams, model::Proposals& proposals) const;
    void flip_clusters(Chains& chains, double strength, const model::BlockStreams& streams,
                       model::Proposals& proposals) const;
    void exchange(Chains& chains, Index i, std::span<const std::uint8_t> accepted) const;

    std::shared_ptr<const ImageRestoration> model_;
    ImageSpaceSettings settings_;
    std::vector<ImageOperation> operations_;
    std::vector<model::Operation> list_;
    mutable std::optional<double> minimum_;
};

} // namespace pearlite::models
