// The parts of ECharts that a job page draws with: those of a report, and lines, dots and bars.
import { BarChart, CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import { GridSimpleComponent } from 'echarts/components';
import { init, use, version } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';

use([BarChart, CustomChart, LineChart, ScatterChart, GridSimpleComponent, CanvasRenderer]);

export { init, version };
