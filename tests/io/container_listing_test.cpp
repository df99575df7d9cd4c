// A container seen from outside: its listing, and its contents as h5py reads them.
#include "io/container/container.hpp"

#include "io/container_support.hpp"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace pearlite::io {
namespace {

using testing::file_bytes;
using testing::file_error;
using ::testing::HasSubstr;
using testing::SampleField;
using testing::SamplePopulation;

class ContainerListingTest : public ::testing::Test {
  protected:
    testing::TemporaryDirectory directory;
    std::filesystem::path path = directory.path() / "state.h5";
    parallel::Communicator ranks = parallel::Communicator::alone();
};

TEST_F(ContainerListingTest, DescribesItself) {
    SampleField states(ItemType::bytes, 17, {100, 16, 1, 0});
    Writer writer(ranks);
    writer("step", std::int64_t{42});
    writer("algorithm", "smc");
    writer("configuration", std::string(200, 'c'));
    writer("finished", true);
    writer.enter("estimates");
    writer("values", std::vector<double>{0.1, -std::numeric_limits<double>::infinity()});
    writer("names", std::vector<std::string>{"product", "bar"});
    writer.leave();
    writer("table", Matrix(3, 4));
    writer.sharded("states", states.view());
    writer.commit(path, "checkpoint");

    const auto bytes = std::to_string(std::filesystem::file_size(path));
    const auto listing = describe_container(path);
    EXPECT_TRUE(listing.is_whole);
    EXPECT_EQ(listing.text, "checkpoint container, schema 1, " + bytes + " bytes, checksum ok\n" +
                                "  step              int64             42\n"
                                "  algorithm         text              \"smc\"\n"
                                "  configuration     text              200 bytes of text\n"
                                "  finished          boolean           true\n"
                                "  estimates/values  float64 [2]       {0.1, -inf}\n"
                                "  estimates/names   text [2]          {\"product\", \"bar\"}\n"
                                "  table             float64 [3 x 4]\n"
                                "  states            bytes [100 x 17]\n");
    std::string damaged = file_bytes(path);
    damaged.back() = static_cast<char>(damaged.back() ^ 1);
    testing::write_bytes(path, damaged);
    EXPECT_FALSE(describe_container(path).is_whole);
    EXPECT_EQ(describe_container(path).text,
              "checkpoint container, schema 1, " + bytes +
                  " bytes, checksum DIFFERS: the file is damaged and its fields are not read\n");
    EXPECT_THAT(file_error([&] { describe_container(directory.path() / "none.h5"); }), HasSubstr("No such file"));
}

TEST_F(ContainerListingTest, IsReadableByH5py) {
    if (std::system("/usr/bin/python3 -c 'import h5py' 2>/dev/null") != 0)
        GTEST_SKIP() << "/usr/bin/python3 has no h5py";
    SamplePopulation population(ranks, 6, 16);
    Matrix matrix(2, 3);
    matrix << 1, 2, 3, 4, 5, 6;
    Writer writer(ranks);
    population.fields(writer);
    writer("name", "caf\xC3\xA9");
    writer("names", std::vector<std::string>{"one", "", "three"});
    writer("finished", true);
    writer("matrix", matrix);
    writer.commit(path, "results");
    const auto script = directory.write("read.py", R"(
import h5py, struct, sys
f = h5py.File(sys.argv[1], 'r')
assert f.userblock_size == 512
assert f['seed'][()] == 1 and f['seed'].dtype == 'u8'
assert f['name'][()].decode() == 'caf\u00e9'
assert [t.decode() for t in f['names'][:]] == ['one', '', 'three']
assert f['finished'][()] == True and f['finished'].dtype == bool
assert f['matrix'][:].tolist() == [[1, 2, 3], [4, 5, 6]]
assert f['temperatures'][:].tolist() == [1, 0.5, 1 / 3]
p = f['population']
assert p['states'].shape == (6, 17) and p['states'].dtype == 'u1'
assert p['log_weights'].shape == (6,) and p['angles'].shape == (6, 3) and p['ancestors'].dtype == 'i8'
assert struct.pack('<d', p['log_weights'][2]) == bytes.fromhex(sys.argv[2])
)");
    std::string digits;
    for (int i = 16; i < 24; ++i) {
        char two[3];
        std::snprintf(two, sizeof two, "%02x", std::to_integer<unsigned>(population.log_weights.bytes()[i]));
        digits += two;
    }
    const std::string command = "/usr/bin/python3 " + script.string() + " " + path.string() + " " + digits;
    EXPECT_EQ(std::system(command.c_str()), 0);
}

} // namespace
} // namespace pearlite::io
