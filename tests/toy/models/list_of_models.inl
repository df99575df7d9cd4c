#include "../../../src/models/list_of_models.inl"
PEARLITE_MODEL(toy)
