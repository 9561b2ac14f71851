#!/bin/sh
# Makes echarts.min.js again. Needs npm and, once, the network; see README.md.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Terser makes the bundle 4 % smaller than esbuild does, deflated; esbuild bundles for it.
terser=$(sed -n 's/^sha512-.* //p' "$here/CHECKSUMS" | grep '^terser@')
cd "$work"
npm init -y >/dev/null
npm install --no-audit --no-fund --ignore-scripts echarts@"$(cat "$here/VERSION")" "$terser"
# The packages must be the ones that were looked at.
node -e '
const lock = require("./package-lock.json").packages;
for (const [, sum, name] of require("fs").readFileSync(process.argv[1], "utf8").matchAll(/^(sha512-\S+) +(\S+)@\S+$/gm)) {
  if (lock["node_modules/" + name].integrity !== sum) throw new Error(name + " is not the package of CHECKSUMS");
}' "$here/CHECKSUMS"
cp "$here/entry.js" .
(cd "$here" && go tool esbuild "$work/entry.js" --bundle --format=iife --global-name=echarts --target=es2020 \
  --charset=utf8 --legal-comments=none '--define:process.env.NODE_ENV="production"' "--outfile=$work/echarts.js")
npx terser echarts.js --ecma 2020 --compress passes=3 --mangle --comments false --output echarts.min.js
cd "$here"
cat banner.txt "$work/echarts.min.js" >echarts.min.js
sum=$(sha256sum echarts.min.js | cut -d' ' -f1)
sed -i "s/^[0-9a-f]\{64\}  echarts.min.js$/$sum  echarts.min.js/" CHECKSUMS
