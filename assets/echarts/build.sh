#!/bin/sh
# Makes echarts.min.js again. Needs npm and, once, the network; see README.md.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work"
npm init -y >/dev/null
npm install --no-audit --no-fund --ignore-scripts echarts@"$(cat "$here/VERSION")"
# The packages must be the ones that were looked at.
node -e '
const lock = require("./package-lock.json").packages;
for (const [, sum, name] of require("fs").readFileSync(process.argv[1], "utf8").matchAll(/^(sha512-\S+) +(\S+)@\S+$/gm)) {
  if (lock["node_modules/" + name].integrity !== sum) throw new Error(name + " is not the package of CHECKSUMS");
}' "$here/CHECKSUMS"
cp "$here/entry.js" .
(cd "$here" && go tool esbuild "$work/entry.js" --bundle --minify --format=iife --global-name=echarts \
  --target=es2020 --charset=utf8 --legal-comments=none "--banner:js=$(cat banner.txt)" --outfile=echarts.min.js)
cd "$here"
sum=$(sha256sum echarts.min.js | cut -d' ' -f1)
sed -i "s/^[0-9a-f]\{64\}  echarts.min.js$/$sum  echarts.min.js/" CHECKSUMS
