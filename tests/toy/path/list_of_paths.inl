#include "../../../src/path/list_of_paths.inl"
PEARLITE_PATH(toy)
