// The parts of ECharts that a report draws with: axes, and pictures placed by
// custom series, on a canvas. GridSimpleComponent is the grid without axis
// pointers, which the viewer draws itself.
import { CustomChart } from 'echarts/charts';
import { GridSimpleComponent } from 'echarts/components';
import { init, use, version } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';

use([CustomChart, GridSimpleComponent, CanvasRenderer]);

export { init, version };
