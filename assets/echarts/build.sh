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

# ECharts imports these modules whether or not a chart needs them. No chart of a report does, so they become empty:
# themes, languages, the loading animation, descriptions for screen readers, decals, symbols, options and events of older
# versions, dataset transforms, stacked data, axes of times and logarithms, bars, tooltips, animations, shapes but
# lines and rectangles, and the mouse, which the viewer listens to itself.
none='() => {}'
package=echarts
empty() { # module, what it exports
  echo "$2" >"node_modules/$package/lib/$1.js"
}
for module in theme/light theme/dark i18n/langEN i18n/langZH; do empty $module 'export default {}'; done
for module in loading/default visual/aria visual/decal preprocessor/backwardCompat processor/dataStack; do
  empty $module "export default $none"
done
for module in scale/Time scale/Log; do empty $module 'export default class {}'; done
empty animation/customGraphicKeyframeAnimation \
  "export const stopPreviousKeyframeAnimationAndRestore = $none, applyKeyframeAnimation = $none"
empty component/tooltip/seriesFormatTooltip "export const defaultSeriesFormatTooltip = $none"
empty coord/axisAlignTicks "export const alignScaleTicks = $none"
empty data/helper/transform \
  "export const registerExternalTransform = $none, applyDataTransform = $none; export class ExternalSource {}"
empty layout/barGrid "export const prepareLayoutBarSeries = $none, makeColumnLayout = $none,
  retrieveColumnLayout = $none, getLayoutOnAxis = $none, layout = $none, createProgressiveLayout = $none"
empty legacy/dataSelectAction \
  "export const createLegacyDataSelectAction = $none, handleLegacySelectEvents = $none"
empty util/decal "export const createOrUpdatePatternFromDecal = $none"
empty util/styleCompat "export const isEC4CompatibleStyle = $none, convertFromEC4CompatibleStyle = $none,
  convertToEC4StyleForCustomSerise = $none, warnDeprecated = $none"
empty util/symbol "export const symbolBuildProxies = {}, createSymbol = $none, normalizeSymbolSize = $none,
  normalizeSymbolOffset = () => [0, 0]"
task="{ createOnAllSeries: true, reset: $none }"
empty visual/symbol "export const seriesSymbolTask = $task, dataSymbolTask = $task"

package=zrender
for shape in Arc BezierCurve Circle Ellipse Polygon Polyline Ring Sector; do
  empty graphic/shape/$shape 'export default class {}'
done
empty animation/Animator 'export default class {}; export const cloneValue = (value) => value'
empty contain/path "export const contain = $none, containStroke = $none"
empty core/timsort 'export default (array, compare) => array.sort(compare)' # stable in every browser of today
empty dom/HandlerProxy 'export default class {}'
empty Handler "import Eventful from './core/Eventful.js';
  export default class extends Eventful { resize() {} dispose() {} setCursorStyle() {} setHandlerProxy() {} }"
empty tool/path \
  "export const createFromString = $none, extendFromString = $none, mergePath = $none, clonePath = $none"

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
