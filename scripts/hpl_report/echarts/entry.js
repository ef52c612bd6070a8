/* SPDX-License-Identifier: BSD-3-Clause */
/* What of Apache ECharts the page of hpl-report draws with. */
import { init, use } from "echarts/core";
import { BarChart, CustomChart, LineChart } from "echarts/charts";
import {
  GridComponent, LegendComponent, LegendScrollComponent, TooltipComponent,
} from "echarts/components";
import { CanvasRenderer, SVGRenderer } from "echarts/renderers";

use([BarChart, CustomChart, LineChart, GridComponent, LegendComponent,
  LegendScrollComponent, TooltipComponent, CanvasRenderer, SVGRenderer]);

export { init };
