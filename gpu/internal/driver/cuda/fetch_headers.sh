#!/bin/sh
# Fetches the CUDA 12.4 headers and the stub of libcuda that the tagged build
# needs, once, into a cache folder outside the source tree, and prints the
# environment to build with:
#
#     eval "$(gpu/internal/driver/cuda/fetch_headers.sh)"
#     go build -tags cuda ./...
#
# They come from Debian's package nvidia-cuda-dev (component non-free of the
# suite below), from the mirror that this machine's apt already uses. No root, no
# installed package: a private apt configuration leaves the machine's own alone.
# A machine that has a CUDA toolkit does not need this; see shim/cuda.h for
# toolkits from version 13 on.
#
# CUDA_HEADERS names the folder (default: the user's cache), SUITE the Debian
# release (default trixie), MIRROR a mirror to use instead of apt's.
set -eu

dest=${CUDA_HEADERS:-${XDG_CACHE_HOME:-$HOME/.cache}/blockfp8/cuda-12.4}
suite=${SUITE:-trixie}

fetch() {
	mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep '/debian/*$' | head -n 1)}
	if [ -z "$mirror" ]; then
		echo "fetch_headers: apt has no Debian mirror configured; set MIRROR" >&2
		exit 1
	fi
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
	echo "deb $mirror $suite non-free" >"$work/sources.list"
	set -- -qq -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=- \
		-o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User= -o APT::Architecture=amd64
	apt-get "$@" update >&2
	version=$(apt-cache "$@" madison nvidia-cuda-dev | awk '$3 ~ /^12\.4/ { print $3; exit }')
	if [ -z "$version" ]; then
		echo "fetch_headers: $suite has no nvidia-cuda-dev 12.4" >&2
		exit 1
	fi
	(cd "$work" && apt-get "$@" download "nvidia-cuda-dev=$version" >&2)
	mkdir "$work/tree"
	dpkg --fsys-tarfile "$work"/nvidia-cuda-dev_*.deb |
		tar -x -C "$work/tree" ./usr/include ./usr/lib/x86_64-linux-gnu/stubs/libcuda.so
	mkdir -p "$(dirname "$dest")"
	# The folder appears whole or not at all, also for two builds at once.
	mv -T "$work/tree/usr" "$dest" 2>/dev/null || [ -f "$dest/include/cuda.h" ]
}

[ -f "$dest/include/cuda.h" ] || fetch
echo "export CGO_CFLAGS='-I$dest/include ${CGO_CFLAGS:-}'"
echo "export CGO_LDFLAGS='-L$dest/lib/x86_64-linux-gnu/stubs ${CGO_LDFLAGS:-}'"
