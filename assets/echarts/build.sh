#!/bin/sh
# Makes echarts.min.js.deflate again. Needs npm and, once, the network; see README.md.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work"
npm init -y >/dev/null
npm install --no-audit --no-fund --ignore-scripts $(sed -n 's/^sha512-[^ ]*  //p' "$here/CHECKSUMS")
# The packages must be the ones that were looked at.
node -e '
const lock = require("./package-lock.json").packages;
for (const [, sum, name] of require("fs").readFileSync(process.argv[1], "utf8").matchAll(/^(sha512-\S+) +(\S+)@\S+$/gm)) {
  if (lock["node_modules/" + name].integrity !== sum) throw new Error(name + " is not the package of CHECKSUMS");
}' "$here/CHECKSUMS"

# esbuild bundles; Terser makes the bundle 4 % smaller than esbuild would, and Zopfli 4 % smaller than zlib.
cp "$here/entry.js" .
(cd "$here" && go tool esbuild "$work/entry.js" --bundle --format=iife --global-name=echarts --target=es2020 \
  --charset=utf8 --legal-comments=none '--define:process.env.NODE_ENV="production"' "--outfile=$work/echarts.js")
npx terser echarts.js --ecma 2020 --compress passes=3 --mangle --comments false --output body.js
cat "$here/banner.txt" body.js >echarts.min.js
node -e '
const fs = require("fs");
require("@gfx/zopfli").deflate(fs.readFileSync("echarts.min.js"), { numiterations: 15 }, (error, packed) => {
  if (error) throw error;
  fs.writeFileSync(process.argv[1], packed);
})' "$here/echarts.min.js.deflate"
sum=$(sha256sum echarts.min.js | cut -d' ' -f1)
sed -i "s/^[0-9a-f]\{64\}  echarts.min.js$/$sum  echarts.min.js/" "$here/CHECKSUMS"
