#include "../../../../../src/kernel/search/box/list_of_operations.inl"
PEARLITE_BOX_OPERATION(toy)
