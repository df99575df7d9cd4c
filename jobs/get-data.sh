#!/usr/bin/env bash
# Fetches the public data files that docs/data.md lists, converts them, and keeps those whose checksum is right.
#   bash jobs/get-data.sh [-o DIR] [NAME...]            NAME: a file (bayes/toenail.csv) or a folder (bayes); else all
#   bash jobs/get-data.sh --list [-o DIR] [NAME...]     prints the names, whether each is there and right, the sources
# DIR is PEARLITE_DATA_DIR by default, or else data-files in the current directory. A file that is there and right is
# left alone. Any other appears whole and right or not at all, and one that fails does not keep the others from coming.
#
#   PEARLITE_DATA_SOURCE  where the sources are, each as OWNER/NAME/COMMIT/PATH below this address, which may be a
#                         directory, file:///... (default https://raw.githubusercontent.com)
# Exit status: 0 all files asked for are there and right, 1 some are not, 2 bad arguments.
set -euo pipefail
export LC_ALL=C
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
base=${PEARLITE_DATA_SOURCE:-https://raw.githubusercontent.com}
base=${base%/}

names=()
declare -A conversions checksums sources

# data_file NAME CONVERSION SHA256 SOURCE...: a file of the table below. A function as_CONVERSION takes the downloaded
# sources and prints the file. The checksum of a .gz is that of its contents, because copies differ in their wrapper.
data_file() {
    names+=("$1")
    conversions[$1]=$2
    checksums[$1]=$3
    sources[$1]=${*:4}
}

rdatasets=vincentarelbundock/Rdatasets/1dcc2bf5f955cc1224a3e1307256e1fe86b68dae
neural_net=a-taherkhani/neural_net/7b24bf86a7c298170ba0ccd17ff95f87bc334246
spect=ibcny/TDIDT/0dff289492cd961f7899e594ed9622fe9d75c946
mnist=fgnt/mnist/ae608a02b796c9ee908c082585a5f006fe05258e
posteriordb=stan-dev/posteriordb/28f8d3d6e975315f42aa274a8399f21e07a43b30/posterior_database/data/data

data_file bayes/radiata_pine.csv commas \
    98f19afa5a120bc79161e5103199f0c2c8e5c1f17e660a40105760e3ea3cec9d \
    astro-informatics/harmonic/9f7dba25e3e56e063615ed4e8c148aed12b77a70/examples/data/RadiataPine.dat
data_file bayes/pima_standardised_532.dat published \
    abc9d4165888b55f4042237a0b93703aa82237e24864f329453c63753e5a1e0b \
    astro-informatics/harmonic/7af0dce83f033c0f76a5cd00adf78e584e9f8400/examples/data/PimaIndian.dat
data_file bayes/toenail.csv toenail \
    2f4a243515b417c34e9bb9c7237c0f9406a6b69d8a6387309147deb83608564e \
    "$rdatasets/csv/lme4/toenail.csv"
data_file bayes/ohio_wheeze.csv without_row_names \
    1764620a6f49cfbe4d6c43a07e000b6b9c80df5bbe17674627fb40872b33eb86 \
    "$rdatasets/csv/geepack/ohio.csv"
data_file bayes/polypharm.csv polypharm \
    3b825df21e6067284dde8dd5523b48c255e1df1359bbb2c3e84c576509946e84 \
    cran/aplore3/638f85ef4ca6018a10eeb96e994155667b232b9b/data/polypharm.rda
data_file bayes/pima_tr.csv pima \
    c7cdb935ed420913468053707b35852b45b236e89653631b8d311a648a3613aa \
    "$rdatasets/csv/MASS/Pima.tr.csv"
data_file bayes/pima_te.csv pima \
    dc287f3d06c44167a6be6f8cc3ff6178ffef110d8f8eaea9d2cc828803aa2221 \
    "$rdatasets/csv/MASS/Pima.te.csv"
data_file bayes/galaxies.csv galaxies \
    3d4ed84b10fc352565d9a568c7fdd8ae143c523725bf88b91a9621e2f385c1b8 \
    "$rdatasets/csv/MASS/galaxies.csv"
data_file pound_dollar/svpd_returns.csv pound_dollar \
    6d27b457cd0e8e8badef22f33d4e5801ba257c3fd0f584fc3e6111fce12bfab1 \
    helske/bssm/316c0770f639f14b3fb7de7db461be65b17b714a/data/exchange.rda \
    cran/fanplot/179ef52a9eebdda40c7cd7cfd90fd45db1c4b579/data/svpdx.rda
data_file pound_dollar/GBP_vs_USD_9798.txt published \
    d65799de7b398505095b323162faed0df4974d6751d93f0c40a814c566d40522 \
    nchopin/particles/8f2c4bfa85cc7a287c0fd36b13710bfe4bd41856/particles/datasets/GBP_vs_USD_9798.txt
data_file rbm/rbm15.f64 weights \
    31e6cff94e16694af1968a6f0794f412c3308fc26f2e1d83e73136857aede7e6 \
    "$neural_net/mnistvh.mat"
data_file rbm/rbm_cd25_500.f64 weights \
    a819de58cb8e6c18afa8c1c1dee29a4174b2b1ce917a482899f2b9d3ccff19fd \
    "$neural_net/mnistvh_CD25.mat"
data_file rbm/README_salakhutdinov.txt published \
    678d1e8d36ed2803866a8a0ac619013399aa25e8a52a397080fb6085c8f763be \
    "$neural_net/README.txt"
data_file gaussmix20/modes.csv modes \
    431a28a4596abbcd44cecbd133b5ecede0c1587a9ac34a86f82479face3ba014
data_file ferrite_pearlite/ferrite_pearlite_240x320.txt published \
    951bc38b8caaea310f901c8480dc393eadd32324bbb8fbdefb6dd451e30fabe6 \
    georgios-stats/PISAA_Ising2D/e0934d83bcfb93e873fc2bfcce069e85d64b4f38/FPphotomicro_240x320_bw.dat
data_file spect/SPECT.train spect \
    af2b85125608c105ca61bcfdaad8db1d10b692866f4ecb74e4fd0138feef93d2 \
    "$spect/data/SPECT.train"
data_file spect/SPECT.test spect \
    dbb54ebc0c38c702da416406c691c77399177c0909e45c2079ddb7c82303a267 \
    "$spect/data/SPECT.test"
data_file usps/usps.h5 published \
    734f88c541104a956d88be2c95d03b4a463ffd74ccc2ba9c80841fb98e3fcb36 \
    niuers/Learning-From-Data-A-Short-Course/879a698b960e5867f7c2b11f8938fa89c3d21839/data/usps.h5
data_file posteriordb/arK.json unpacked \
    8c561dcceb3e74654097f25f07277cd5448fc175f4a2589962bb817a54e4e742 \
    "$posteriordb/arK.json.zip"
data_file posteriordb/eight_schools.json unpacked \
    f06889e8cae3755c00a4a44f002d5fc3acf3263ff9ae8ffe5655b1907bcadd80 \
    "$posteriordb/eight_schools.json.zip"
data_file posteriordb/garch.json unpacked \
    6f5dd0d191c8f5f0dd655d1936a78dded65c41807d9c733e18d08a2fb0437ce0 \
    "$posteriordb/garch.json.zip"
data_file posteriordb/hmm_example.json unpacked \
    8fe2ad2a4ceb9f006694dced959f4fb8190277cfaadde2a281ebef92b6a36019 \
    "$posteriordb/hmm_example.json.zip"
data_file posteriordb/kidiq.json unpacked \
    8f6026d1d51013be5956cdeec880e4fd522c1a98a8d1c3600f12dd438924f21b \
    "$posteriordb/kidiq.json.zip"
data_file posteriordb/low_dim_gauss_mix.json unpacked \
    9adb76f51fed5426f26090ce18c2bf732aef7695aadb57fa12e11efc5f0d9efb \
    "$posteriordb/low_dim_gauss_mix.json.zip"
data_file mnist/train-images-idx3-ubyte.gz published \
    ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db \
    "$mnist/train-images-idx3-ubyte.gz"
data_file mnist/t10k-images-idx3-ubyte.gz published \
    0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7 \
    "$mnist/t10k-images-idx3-ubyte.gz"

as_published() { cat "$1"; }
# gzip reads a zip of one member.
as_unpacked() { gzip -dc <"$1"; }
as_commas() { awk 'BEGIN { OFS = "," } { $1 = $1; sub(/^#,/, "") } 1' "$1"; }
as_without_row_names() { sed 's/^[^,]*,//' "$1"; }
as_galaxies() { sed 's/^[^,]*,//; 1s/.*/velocity_km_s/' "$1"; }
as_pima() { sed -E 's/^[^,]*,//; s/Yes$/1/; s/No$/0/' "$1"; }
as_spect() { awk 'NR > 1 { sub(/\r$/, ""); print }' "$1"; }

as_toenail() {
    awk -F, 'BEGIN { OFS = ","; print "patient,outcome,terbinafine,month,visit" }
        NR > 1 { print $2, ($3 == "moderate or severe"), ($4 == "terbinafine"), $5, $6 }' "$1"
}

# The code of a value that is missing is that of the file whose checksum this is.
as_polypharm() {
    Rscript --vanilla -e 'load(commandArgs(TRUE))
        polypharm[] <- lapply(polypharm, function(x) if (is.factor(x)) as.integer(x) - 1L else x)
        write.csv(polypharm, stdout(), na = "-2147483649", quote = FALSE, row.names = FALSE)' "$1"
}

as_pound_dollar() {
    # shellcheck disable=SC2016
    Rscript --vanilla -e 'for (file in commandArgs(TRUE)) load(file)
        write.csv(data.frame(date = svpdx$date, y = exchange), stdout(), quote = FALSE, row.names = FALSE)' "$@"
}

as_weights() {
    "$(python_of_weights)" "$(importer_of_weights)" "$1" -o "${1%.mat}.f64" >&2
    cat "${1%.mat}.f64"
}

as_modes() {
    printf '%s\n' k,mu1,mu2 1,2.18,5.76 2,8.67,9.59 3,4.24,8.48 4,8.41,1.68 5,3.93,8.82 6,3.25,3.47 \
        7,1.70,0.50 8,4.59,5.60 9,6.91,5.81 10,6.87,5.40 11,5.41,2.65 12,2.70,7.88 13,4.98,3.70 \
        14,1.14,2.39 15,8.33,9.50 16,4.93,1.50 17,1.83,0.09 18,2.26,0.31 \
        19,5.54,6.86 20,1.69,8.11
}

# The first Python on the path may be a user's, without Debian's packages.
python_of_weights() {
    local python
    for python in python3 /usr/bin/python3; do
        if "$python" -c 'import h5py, scipy.io' 2>/dev/null; then
            echo "$python"
            return
        fi
    done
    return 1
}

# Where it lies in a checkout and beside installed jobs, and the installed command.
importer_of_weights() {
    ls "$root/drivers/import_rbm.py" 2>/dev/null || ls "$root/import_rbm.py" 2>/dev/null ||
        command -v pearlite-import-rbm
}

# Whether the tools for NAME are installed; if not, `problem` names the missing one.
has_tools_for() {
    if [ -n "${sources[$1]}" ] && ! command -v curl >/dev/null; then
        problem="curl is missing (Debian: curl)"
        return 1
    fi
    case ${conversions[$1]} in
    polypharm | pound_dollar)
        command -v Rscript >/dev/null || problem="Rscript is missing (Debian: r-base-core)"
        ;;
    weights)
        python_of_weights >/dev/null ||
            problem="Python's h5py or scipy is missing (Debian: python3-h5py, python3-scipy)"
        importer_of_weights >/dev/null || problem="pearlite-import-rbm is missing"
        ;;
    esac
    [ -z "$problem" ]
}

# Prints the checksum of FILE, for a .gz that of its contents, or "(damaged)": checksum_of NAME FILE.
checksum_of() {
    local unwrap=cat
    [[ $1 != *.gz ]] || unwrap='gzip -dcf'
    $unwrap <"$2" 2>/dev/null | sha256sum | cut -d ' ' -f 1 || echo "(damaged)"
}

# Prints `there` if NAME is there and right, `missing` or `wrong`.
state_of() {
    if [ ! -e "$directory/$1" ]; then
        echo missing
    elif [ -f "$directory/$1" ] && [ "$(checksum_of "$1" "$directory/$1")" = "${checksums[$1]}" ]; then
        echo there
    else
        echo wrong
    fi
}

# fetch ADDRESS FILE; on failure `problem` says why.
fetch() {
    local code
    if code=$(curl -fsSL --retry 2 --connect-timeout 20 --speed-limit 1000 --speed-time 60 -o "$2" \
        -w '%{http_code}' "$1" 2>"$work/message"); then
        return 0
    fi
    echo "get-data.sh: $1: $(tail -n 1 "$work/message")" >&2
    problem="could not be fetched"
    # So it is where nothing answered.
    if [[ $code = *000 && $base != file:* ]]; then
        no_network=yes
        problem="no network"
    fi
    return 1
}

# Makes NAME as $work/result and checks it; on failure `problem` says why.
make_result() {
    local name=$1 source got
    local -a files=()
    has_tools_for "$name" || return 1
    for source in ${sources[$name]}; do
        files+=("$work/${source##*/}")
        fetch "$base/$source" "${files[-1]}" || return 1
    done
    if ! "as_${conversions[$name]}" "${files[@]}" >"$work/result" 2>"$work/message"; then
        cat "$work/message" >&2
        problem="could not be converted"
        return 1
    fi
    got=$(checksum_of "$name" "$work/result")
    if [ "$got" != "${checksums[$name]}" ]; then
        printf 'get-data.sh: %s: wrong sha256\n    got      %s\n    expected %s\n' \
            "$name" "$got" "${checksums[$name]}" >&2
        problem="wrong checksum"
        return 1
    fi
}

# Makes sure that NAME exists with the right checksum. Sets `outcome` to the action taken, and on failure `problem`.
get() {
    local name=$1 folder=$directory/${1%/*} state
    problem=
    state=$(state_of "$name")
    outcome=$state
    [ "$state" != there ] || return 0
    if [ -n "$no_network" ] && [ -n "${sources[$name]}" ]; then
        problem="no network"
        return 1
    fi
    echo "getting $name"
    # In the folder of the file, so that the file can be moved into place whole.
    if ! mkdir -p "$folder" || ! work=$(mktemp -d "$folder/.get-data.XXXXXX"); then
        problem="$folder cannot be written"
        return 1
    fi
    outcome=fetched
    [ -n "${sources[$name]}" ] || outcome=made
    [ "$state" != wrong ] || outcome="$outcome, in place of a wrong one"
    if make_result "$name" && ! mv -fT "$work/result" "$directory/$name"; then
        problem="could not be moved into place"
    fi
    rm -rf "$work"
    work=
    rmdir "$folder" 2>/dev/null || true
    [ -z "$problem" ]
}

usage_error() {
    echo "get-data.sh: $1; usage: bash jobs/get-data.sh [--list] [-o DIR] [NAME...]" >&2
    exit 2
}

directory=${PEARLITE_DATA_DIR:-data-files}
list=
declare -A asked=()
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        sed -n '2,/^[^#]/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
        exit 0
        ;;
    --list) list=yes ;;
    -o)
        [ -n "${2:-}" ] || usage_error "-o needs a directory"
        directory=$2
        shift
        ;;
    -*) usage_error "unknown option $1" ;;
    *)
        found=
        for name in "${names[@]}"; do
            if [[ $name = "$1" || $name = "${1%/}"/* ]]; then
                asked[$name]=yes
                found=yes
            fi
        done
        [ -n "$found" ] || usage_error "no data file or folder is called '$1' (--list prints the names)"
        ;;
    esac
    shift
done
chosen=()
for name in "${names[@]}"; do
    [ ${#asked[@]} -gt 0 ] && [ -z "${asked[$name]:-}" ] || chosen+=("$name")
done
[ ! -e "$directory" ] || [ -d "$directory" ] || usage_error "$directory is not a directory"

if [ -n "$list" ]; then
    for name in "${chosen[@]}"; do
        addresses=
        for source in ${sources[$name]}; do
            addresses+=" $base/$source"
        done
        printf '%-46s %-8s%s\n' "$name" "$(state_of "$name")" "${addresses:- (made without network)}"
    done
    exit 0
fi

work=
trap '[ -z "$work" ] || rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
no_network=
rows=()
failures=0
for name in "${chosen[@]}"; do
    if get "$name"; then
        rows+=("$name" "$outcome")
    else
        rows+=("$name" "failed: $problem")
        failures=$((failures + 1))
    fi
done

printf '%-46s %s\n' "${rows[@]}"
echo "$((${#chosen[@]} - failures)) of ${#chosen[@]} files are there and right in $directory"
if [ -n "$no_network" ]; then
    host=${base#*://}
    echo "no network: could not reach ${host%%/*}; the files can be copied by hand, docs/data.md says from where" >&2
fi
[ $failures -eq 0 ] || exit 1
[ -n "${PEARLITE_DATA_DIR:-}" ] || echo "jobs look there after: export PEARLITE_DATA_DIR=$(cd "$directory" && pwd)"
