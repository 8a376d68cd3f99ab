// What the page uses of uPlot (portal/web/package.json names its version).

interface UPlotAxis {
  stroke?: string;
  grid?: { stroke?: string; width?: number };
  ticks?: { stroke?: string; width?: number };
  size?: number | ((plot: unknown, labels: string[] | null) => number);
  space?: number;
  incrs?: number[];
  font?: string;
  values?: (plot: unknown, values: number[]) => string[];
}

interface UPlotSeries {
  label?: string;
  stroke?: string;
  width?: number;
  dash?: number[];
  spanGaps?: boolean;
  points?: { show: boolean };
  value?: (plot: unknown, value: number | null) => string;
}

interface UPlotOptions {
  width: number;
  height: number;
  legend?: { show?: boolean };
  cursor?: {
    sync?: { key: string };
    points?: { show?: boolean };
    focus?: { prox: number };
    drag?: { x?: boolean; y?: boolean };
  };
  focus?: { alpha: number };
  scales?: Record<string, { time?: boolean; range?: (plot: unknown, low: number,
    high: number) => [number, number]; }>;
  axes?: UPlotAxis[];
  series: UPlotSeries[];
  hooks?: { setCursor?: ((plot: UPlot) => void)[]; setSeries?: ((plot: UPlot,
    index: number | null) => void)[]; };
}

type UPlotData = (number | null)[][];

declare class UPlot {
  constructor(options: UPlotOptions, data: UPlotData, target: HTMLElement);
  readonly cursor: { idx: number | null };
  setData(data: UPlotData): void;
  setSize(size: { width: number; height: number }): void;
  destroy(): void;
}

interface Window {
  uPlot?: typeof UPlot;
}
