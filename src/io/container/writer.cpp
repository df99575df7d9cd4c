#include "io/container/container.hpp"

#include "io/container/field_table.hpp"
#include "io/files/stamp.hpp"
#include "io/files/temporary_file.hpp"

#include "parallel/agreement.hpp"

#include <algorithm>
#include <fcntl.h>
#include <set>

namespace pearlite::io {
namespace {

// One named field as it was handed in; values stay on rank 0, the only one that writes them.
struct CollectedField {
    FieldEntry entry;
    std::vector<std::byte> values;
    std::vector<ShardedField> sharded; // one part after another; none: the values are replicated
};

std::vector<ShardedField*> sharded_among(std::vector<CollectedField>& fields) {
    std::vector<ShardedField*> sharded;
    for (CollectedField& field : fields)
        for (ShardedField& part : field.sharded)
            sharded.push_back(&part);
    return sharded;
}

// The ranks' runs must tile 0 .. items - 1: a gap would be a checkpoint with particles missing.
bool tiles(std::vector<std::pair<Index, Index>> runs, Index items) {
    std::erase_if(runs, [](const auto& run) { return run.second == 0; });
    std::ranges::sort(runs);
    Index next = 0;
    for (const auto& [first, count] : runs) {
        if (first != next)
            return false;
        next += count;
    }
    return next == items;
}

// Collective. Every rank must have handed in the same sharded fields, whole between them.
void check_sharded(const parallel::Communicator& ranks, const std::vector<ShardedField*>& fields) {
    constexpr std::size_t numbers_per_field = 5;
    std::vector<Index> mine;
    for (const ShardedField* field : fields)
        mine.insert(mine.end(), {static_cast<Index>(field->type), static_cast<Index>(field->item_bytes), field->items,
                                 field->first_local, field->local});
    const std::vector<Index> all = ranks.all_gather(std::span<const Index>(mine));
    parallel::together(ranks, [&] {
        std::ranges::for_each(fields, [](const ShardedField* field) { check_local_part(*field); });
        PEARLITE_EXPECTS(all.size() == mine.size() * static_cast<std::size_t>(ranks.size()));
        for (std::size_t at = 0; at < mine.size(); at += numbers_per_field) {
            std::vector<std::pair<Index, Index>> runs;
            for (std::size_t other = at; other < all.size(); other += mine.size()) {
                PEARLITE_EXPECTS(std::equal(&mine[at], &mine[at] + 3, &all[other]));
                runs.emplace_back(all[other + 3], all[other + 4]);
            }
            PEARLITE_EXPECTS(tiles(runs, mine[at + 2]));
        }
    });
}

struct Plan {
    SparseFile file; // rank 0 only
    std::uint64_t bytes = 0;
    std::vector<std::uint64_t> sharded_offsets;
};

// Collective: rank 0 lays the file out in memory, all learn where the sharded fields begin.
Plan make_plan(const parallel::Communicator& ranks, const std::vector<CollectedField>& fields, std::size_t n_sharded) {
    Plan plan;
    plan.sharded_offsets.resize(n_sharded);
    parallel::on_root(ranks, [&] {
        std::vector<PlannedField> planned;
        planned.reserve(fields.size());
        for (const CollectedField& field : fields)
            planned.push_back({field.entry, field.values});
        lay_out(planned, plan.file);
        plan.bytes = plan.file.size();
        std::size_t next = 0;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            std::uint64_t offset = planned[i].entry.offset;
            for (const ShardedField& part : fields[i].sharded) {
                plan.sharded_offsets[next++] = offset;
                offset += static_cast<std::uint64_t>(part.items) * part.item_bytes;
            }
        }
    });
    auto numbers = plan.sharded_offsets;
    numbers.push_back(plan.bytes);
    ranks.broadcast(std::span(numbers));
    plan.bytes = numbers.back();
    numbers.pop_back();
    plan.sharded_offsets = std::move(numbers);
    return plan;
}

// The pages of HDF5's metadata and of the replicated values; they may overlap the edges of sharded fields, which are
// written afterwards.
void write_pages(const SparseFile& pages, PosixFile& file) {
    for (const auto& [number, page] : pages.pages()) {
        const std::uint64_t offset = number * SparseFile::page_bytes;
        if (offset < pages.size())
            file.write(std::span(page).first(std::min<std::uint64_t>(page.size(), pages.size() - offset)), offset);
    }
}

// Collective: rank 0's new file, by whose name the others open it. Bytes are synced and stamped, but not in place.
void write_everywhere(const parallel::Communicator& ranks, std::vector<CollectedField>& fields,
                      const std::filesystem::path& place, std::string_view kind, std::optional<TemporaryFile>& own) {
    const std::vector<ShardedField*> sharded = sharded_among(fields);
    check_sharded(ranks, sharded);
    const Plan plan = make_plan(ranks, fields, sharded.size());
    std::string name;
    parallel::on_root(ranks, [&] {
        own.emplace(place);
        own->file().reserve(plan.bytes);
        write_pages(plan.file, own->file());
        name = own->path().string();
    });
    name = ranks.broadcast(name);
    std::optional<PosixFile> opened;
    PosixFile* file = own ? &own->file() : nullptr;
    parallel::together(ranks, [&] {
        const DiskWait wait;
        if (file == nullptr)
            file = &opened.emplace(name, O_RDWR | O_NOFOLLOW);
        for (std::size_t i = 0; i < sharded.size(); ++i)
            write_local_items(*sharded[i], *file, plan.sharded_offsets[i]);
        // Ranks on other machines see the bytes of this one once they are synced. One rank alone sees its own bytes and
        // hashes them while the device takes them in; rank 0's last sync is for all.
        if (ranks.size() > 1)
            file->sync();
    });
    Stamp stamp{container_schema, std::string(kind), plan.bytes, {}};
    stamp.sha256 = container_checksum(ranks, *file, stamp);
    parallel::on_root(ranks, [&] {
        file->write(render(stamp), 0);
        file->sync();
    });
}

} // namespace

struct Writer::Implementation {
    parallel::Communicator ranks;
    NameScope scope;
    std::set<std::string> names;
    std::vector<CollectedField> fields;

    CollectedField& add(std::string_view name, FieldType type, std::uint64_t element_bytes,
                        std::vector<std::uint64_t> shape) {
        CollectedField field;
        field.entry = {scope.full(name), type, element_bytes, std::move(shape), 0};
        PEARLITE_EXPECTS(names.insert(field.entry.name).second);
        return fields.emplace_back(std::move(field));
    }

    template <class T>
    void add_values(std::string_view name, FieldType type, std::span<const T> values,
                    std::vector<std::uint64_t> shape) {
        CollectedField& field = add(name, type, sizeof(T), std::move(shape));
        const auto bytes = std::as_bytes(values);
        if (ranks.is_root())
            field.values.assign(bytes.begin(), bytes.end());
    }

    template <class T>
    void add_scalar(std::string_view name, FieldType type, const T& value) {
        add_values(name, type, std::span(&value, 1), {});
    }
};

Writer::Writer(const parallel::Communicator& ranks) : implementation_(new Implementation{ranks, {}, {}, {}}) {}

Writer::~Writer() = default;

void Writer::operator()(std::string_view name, const std::string& value) {
    CollectedField& field = implementation_->add(name, FieldType::text, value.size() + 1, {});
    const auto bytes = std::as_bytes(std::span(value.c_str(), value.size() + 1));
    if (implementation_->ranks.is_root())
        field.values.assign(bytes.begin(), bytes.end());
}

void Writer::operator()(std::string_view name, double value) {
    implementation_->add_scalar(name, FieldType::float64, value);
}

void Writer::operator()(std::string_view name, std::int64_t value) {
    implementation_->add_scalar(name, FieldType::int64, value);
}

void Writer::operator()(std::string_view name, std::uint64_t value) {
    implementation_->add_scalar(name, FieldType::uint64, value);
}

void Writer::operator()(std::string_view name, bool value) {
    implementation_->add_scalar(name, FieldType::boolean, static_cast<std::int8_t>(value));
}

void Writer::operator()(std::string_view name, const std::vector<double>& value) {
    implementation_->add_values(name, FieldType::float64, std::span(value), {value.size()});
}

void Writer::operator()(std::string_view name, const std::vector<std::int64_t>& value) {
    implementation_->add_values(name, FieldType::int64, std::span(value), {value.size()});
}

void Writer::operator()(std::string_view name, const std::vector<std::string>& value) {
    std::size_t longest = 0;
    for (const std::string& text : value) {
        PEARLITE_EXPECTS(text.find('\0') == std::string::npos); // the stored texts end at their first zero byte
        longest = std::max(longest, text.size());
    }
    CollectedField& field = implementation_->add(name, FieldType::text, longest + 1, {value.size()});
    if (!implementation_->ranks.is_root())
        return;
    field.values.resize(value.size() * (longest + 1));
    for (std::size_t i = 0; i < value.size(); ++i)
        std::memcpy(&field.values[i * (longest + 1)], value[i].data(), value[i].size());
}

void Writer::operator()(std::string_view name, const Matrix& value) {
    const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = value;
    implementation_->add_values(name, FieldType::float64,
                                std::span<const double>(rows.data(), static_cast<std::size_t>(rows.size())),
                                {static_cast<std::uint64_t>(rows.rows()), static_cast<std::uint64_t>(rows.cols())});
}

void Writer::sharded(std::string_view name, const ShardedField& field) {
    const FieldType type = stored_field_type(field.type);
    const std::size_t element_bytes = type == FieldType::bytes ? 1 : sizeof(double);
    implementation_->add(name, type, element_bytes, stored_shape(field)).sharded = {field};
}

void Writer::sharded_parts(std::string_view name, std::vector<ShardedField> parts, Index columns) {
    PEARLITE_EXPECTS(!parts.empty() && parts.front().type != ItemType::bytes);
    const ShardedField& first = parts.front();
    const auto width = static_cast<std::size_t>(std::max<Index>(columns, 1)) * sizeof(double);
    std::uint64_t items = 0;
    for (const ShardedField& part : parts) {
        PEARLITE_EXPECTS(part.type == first.type && part.item_bytes == width);
        items += static_cast<std::uint64_t>(part.items);
    }
    std::vector<std::uint64_t> shape{items};
    if (columns > 0)
        shape.push_back(static_cast<std::uint64_t>(columns));
    implementation_->add(name, stored_field_type(first.type), sizeof(double), std::move(shape)).sharded =
        std::move(parts);
}

void Writer::enter(std::string_view group) {
    implementation_->scope.enter(group);
}

void Writer::leave() {
    implementation_->scope.leave();
}

void Writer::commit(const std::filesystem::path& path, std::string_view kind) {
    PEARLITE_EXPECTS(is_legal_kind(kind) && path.has_filename());
    const parallel::Communicator& ranks = implementation_->ranks;
    std::optional<TemporaryFile> temporary; // on the root
    write_everywhere(ranks, implementation_->fields, path, kind, temporary);
    parallel::on_root(ranks, [&] {
        const DiskWait wait;
        temporary->put_in_place();
    });
}

} // namespace pearlite::io
