# installs the Debian packages that are missing (--yes: do not ask)
#
# Debian 13: from apt's own sources. Debian 12: Debian 13's archive is added in a list file of its
# own, pinned at 100 so that nothing else on the machine moves, and everything is installed in one
# `apt-get install -t trixie` (single packages asked for with `/trixie` do not resolve). That also
# upgrades libc and a few others, so what will change is listed first, and asked for on a terminal.
# Nothing happens, and no root is needed, when all is there.

list_file=/etc/apt/sources.list.d/gym-telemetry-trixie.list
pin_file=/etc/apt/preferences.d/gym-telemetry-trixie

mapfile -t packages < <(sed 's/#.*//; /^[[:space:]]*$/d' tools/dev/packages.txt)

# Debian 12 ships older versions of some of our packages under the same names: an installed package
# counts only when its version is at least Debian 13's.
minimum_version() {
    case $1 in
    cmake) echo 3.28 ;;
    libsimdjson-dev) echo 3.12 ;;
    libprotozero-dev) echo 1.8 ;;
    libfmt-dev) echo 10 ;;
    libcli11-dev) echo 2.4 ;;
    libcurl4-openssl-dev) echo 8.14 ;;
    libgtest-dev | libgmock-dev) echo 1.16 ;;
    libgrpc++-dev | protobuf-compiler-grpc) echo 1.51.1-6 ;;
    libprotobuf-dev | protobuf-compiler) echo 3.21.12-10 ;;
    nanobind-dev) echo 2.5 ;;
    prometheus-cpp-dev) echo 1.0.2 ;;
    python3-dev | python3-venv) echo 3.13 ;;
    victoria-metrics) echo 1.112 ;;
    *) echo 0 ;;
    esac
}

missing_packages() {
    local package version
    for package in "${packages[@]}"; do
        version=$(dpkg-query -W -f '${db:Status-Status} ${Version}' "$package" 2>/dev/null || true)
        case $version in
        "installed "*) dpkg --compare-versions "${version#installed }" ge "$(minimum_version "$package")" && continue ;;
        esac
        echo "$package"
    done
}

# The suite this machine lives on, from apt's own sources: os-release says 13 once libc is upgraded.
machine_suite() {
    local file
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
        [ -e "$file" ] && [ "$file" != "$list_file" ] && cat "$file"
    done | grep -v '^[[:space:]]*#' | grep -oE '\b(bookworm|trixie)\b' | sort | uniq -c | sort -rn |
        awk 'NR == 1 { print $2 }'
}

# Where apt already gets Debian from; the first main archive, not security or updates.
debian_mirror() {
    apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' "Identifier: Packages" |
        awk '$2 == "bookworm" && $3 == "main" { print $1; exit }'
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    else
        command -v sudo >/dev/null || die "root or sudo is needed to install packages"
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

write_as_root() { as_root tee "$1" >/dev/null; }

add_trixie() {
    local mirror keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    [ -e "$list_file" ] && return
    mirror=$(debian_mirror)
    [ -n "$mirror" ] || die "no Debian 12 archive among apt's sources"
    echo "deb [signed-by=$keyring] $mirror trixie main" | write_as_root "$list_file"
    printf 'Package: *\nPin: release n=trixie\nPin-Priority: 100\n' | write_as_root "$pin_file"
}

# Shows what apt would do and asks, when somebody is there to answer.
confirm() {
    local plan
    plan=$(as_root apt-get install -s --no-install-recommends "$@") || {
        echo "$plan" >&2
        die "apt cannot install the packages"
    }
    echo "$plan" | awk '
        /^Inst / { if ($3 ~ /^\[/) upgraded = upgraded " " $2; else installed = installed " " $2 }
        /^Remv / { removed = removed " " $2 }
        function show(what, names) { if (names != "") print what ":" names }
        END { show("to install", installed); show("to upgrade", upgraded); show("to remove", removed) }' |
        fold -s -w 100 >&2
    if [ -t 0 ] && [ -z "${CI:-}" ] && [ "$answer_yes" = no ]; then
        read -r -p "Go on? [y/N] " reply
        case $reply in y | Y | yes) ;; *) die "nothing was changed" ;; esac
    fi
}

answer_yes=no
[ "${1:-}" = --yes ] && answer_yes=yes

mapfile -t missing < <(missing_packages)
[ ${#missing[@]} -eq 0 ] && return 0

say "installing ${#missing[@]} Debian packages"
release=()
case $(machine_suite) in
trixie) ;;
bookworm)
    add_trixie
    release=(-t trixie)
    ;;
*) die "this is neither Debian 12 nor Debian 13: install the packages of tools/dev/packages.txt" ;;
esac
log=$(mktemp)
trap 'rm -f "$log"' EXIT
as_root apt-get update -q >"$log" 2>&1 || {
    cat "$log" >&2
    die "apt-get update failed"
}
confirm "${release[@]}" "${missing[@]}"
as_root apt-get install -y -q --no-install-recommends \
    -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold \
    "${release[@]}" "${missing[@]}" >"$log" 2>&1 || {
    tail -30 "$log" >&2
    die "apt-get install failed"
}
mapfile -t missing < <(missing_packages)
[ ${#missing[@]} -eq 0 ] || die "still missing after the installation: ${missing[*]}"
