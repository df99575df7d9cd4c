#include "../../../../../src/app/result/parts/list_of_parts.inl"
PEARLITE_PART(toy)
