// The kinds of path of the package, one line each: a source in src/path defines <name>_entry(). The first one is the
// default, and every model offers it.
PEARLITE_PATH(tempered)
PEARLITE_PATH(data)
PEARLITE_PATH(bridge)
PEARLITE_PATH(moments)
