// The parts of ECharts that a report draws with: axes, and pictures placed by
// custom series, on a canvas.
import { CustomChart } from 'echarts/charts';
import { GridComponent } from 'echarts/components';
import { init, use, version } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';

use([CustomChart, GridComponent, CanvasRenderer]);

export { init, version };
