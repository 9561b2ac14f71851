#!/bin/sh
# Makes the two bundles of ECharts again. Needs npm and, once, the network; see README.md.
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

# ECharts imports these modules whether or not a chart needs them. No chart of a page does, so they become hollow:
# themes, languages, the loading animation, descriptions for screen readers, decals, options and events of older
# versions, dataset transforms, stacked data, axes of times and logarithms, tooltips, and the mouse, which the
# viewer listens to itself.
none='() => {}'
hollow() { # modules, whose functions then do nothing
  for module in "$@"; do
    file=node_modules/$module.js
    sed -n -e "s/^export function \([A-Za-z0-9]*\).*/export const \1 = $none;/p" -e '/^export var [^{]*;$/p' "$file" |
      sort >"$file.hollow" # functions stand before the variables that are other names of them
    mv "$file.hollow" "$file"
  done
}
becomes() { # module, what it exports
  echo "$2" >"node_modules/$1.js"
}
also() { # module, what else it exports
  echo "$2" >>"node_modules/$1.js"
}
for module in theme/light theme/dark i18n/langEN i18n/langZH; do becomes echarts/lib/$module 'export default {}'; done
for module in loading/default visual/aria visual/decal preprocessor/backwardCompat processor/dataStack; do
  becomes echarts/lib/$module "export default $none"
done
for module in scale/Time scale/Log; do becomes echarts/lib/$module 'export default class {}'; done
for module in animation/customGraphicKeyframeAnimation component/tooltip/seriesFormatTooltip coord/axisAlignTicks \
  data/helper/transform legacy/dataSelectAction util/decal util/styleCompat; do
  hollow echarts/lib/$module
done
hollow zrender/lib/contain/path zrender/lib/tool/path
also echarts/lib/data/helper/transform 'export class ExternalSource {}'
becomes zrender/lib/core/timsort 'export default (array, compare) => array.sort(compare)' # stable in every browser of today
becomes zrender/lib/dom/HandlerProxy 'export default class {}'
becomes zrender/lib/Handler "import Eventful from './core/Eventful.js';
  export default class extends Eventful { resize() {} dispose() {} setCursorStyle() {} setHandlerProxy() {} }"

# esbuild bundles; Terser makes the bundle 4 % smaller than esbuild would, and Zopfli 4 % smaller than zlib.
bundle() { # entry, name of the bundle
  cp "$here/$1" .
  (cd "$here" && go tool esbuild "$work/$1" --bundle --format=iife --global-name=echarts --target=es2020 \
    --charset=utf8 --legal-comments=none '--define:process.env.NODE_ENV="production"' "--outfile=$work/echarts.js")
  npx terser echarts.js --ecma 2020 --compress passes=3 --mangle --comments false --output body.js
  cat "$here/banner.txt" body.js >"$2"
  node -e '
const fs = require("fs");
require("@gfx/zopfli").deflate(fs.readFileSync(process.argv[1]), { numiterations: 15 }, (error, packed) => {
  if (error) throw error;
  fs.writeFileSync(process.argv[2], packed);
})' "$2" "$here/$2.deflate"
  sum=$(sha256sum "$2" | cut -d' ' -f1)
  sed -i "s/^[0-9a-f]\{64\}  $2$/$sum  $2/" "$here/CHECKSUMS"
}
bundle entry_job.js echarts.job.min.js

# A report draws axes and pictures only. It needs no symbols, emphasis, bars, animations, colours that change, axes of
# categories, and shapes but lines and rectangles either.
for module in scale/Ordinal data/OrdinalMeta; do becomes echarts/lib/$module 'export default class {}'; done
for shape in Arc BezierCurve Circle Ellipse Polygon Polyline Ring Sector; do
  becomes zrender/lib/graphic/shape/$shape 'export default class {}'
done
for module in layout/barGrid util/states; do hollow echarts/lib/$module; done
hollow zrender/lib/tool/color
also echarts/lib/layout/barGrid "export const retrieveColumnLayout = $none"
becomes echarts/lib/util/symbol "export const symbolBuildProxies = {}, createSymbol = $none, normalizeSymbolSize = $none,
  normalizeSymbolOffset = () => [0, 0]"
task="{ createOnAllSeries: true, reset: $none }"
becomes echarts/lib/visual/symbol "export const seriesSymbolTask = $task, dataSymbolTask = $task"
becomes zrender/lib/animation/Animator 'export default class {}; export const cloneValue = (value) => value'
bundle entry.js echarts.min.js
