import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { clock, count, day, ms } from '../data/format.ts';
import { theme } from '../frame/theme.ts';
import { t } from '../texts.ts';

export interface Series {
  readonly label: string;
  /** A custom property of the style sheet: `--ok`. */
  readonly color: string;
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  readonly title: string;
  readonly unit: 'calls' | 'ms';
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly kind?: 'lines' | 'bars';
  readonly height?: number;
  /** A click on a bucket, with its time in seconds. */
  readonly onPick?: ((time: number) => void) | undefined;
  /** A selected range. */
  readonly onBrush?: ((from: number, to: number) => void) | undefined;
}

function colorOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const shown = (unit: ChartProps['unit'], value: number | null | undefined) =>
  value === null || value === undefined
    ? '–'
    : unit === 'ms'
      ? ms(value * 1_000)
      : count(Math.round(value * 100) / 100);

const DAY_MS = 86_400_000;
const FONT = '11px system-ui';
/** Space beside a label for its tick and a gap on each side. */
const LABEL_MARGIN = 18;
const ruler = document.createElement('canvas').getContext('2d');

/** As wide as its longest label, so that none is cut. */
function axisWidth(labels: readonly string[] | null): number {
  if (ruler) ruler.font = FONT;
  const widths = (labels ?? []).map((label) => ruler?.measureText(label).width ?? 0);
  return Math.ceil(Math.max(20, ...widths)) + LABEL_MARGIN;
}

/** One unit for the whole axis; counts of calls are whole numbers. */
function axisLabels(unit: ChartProps['unit'], splits: readonly number[]): string[] {
  if (unit === 'calls') return splits.map((one) => (Number.isInteger(one) ? count(one) : ''));
  const isLong = (splits.at(-1) ?? 0) >= 10_000;
  return splits.map((one) => (isLong ? `${count(one / 1_000)} s` : `${count(one)} ms`));
}

/** Seconds of one bucket. */
function stepOf(times: readonly number[]): number {
  const [first = 0, second = first + 1] = times;
  return second - first;
}

/** From the start of the first bucket to the end of the last, which is the current one. */
function rangeOf({ times }: ChartProps): [number, number] {
  return [times[0] ?? 0, (times.at(-1) ?? 0) + stepOf(times)];
}

/** Values without neighbours, which are drawn as points because they make no line. */
function lonePoints(values: readonly (number | null | undefined)[]): number[] {
  const isThere = (at: number) => typeof values[at] === 'number';
  return [...values.keys()].filter((at) => isThere(at) && !isThere(at - 1) && !isThere(at + 1));
}

/** The range of the legend's totals while the pointer is outside of the chart. */
function wholeRange(props: ChartProps): string {
  const [from, to] = rangeOf(props).map((one) => one * 1_000) as [number, number];
  if (to - from > 2 * DAY_MS) return `${day(from)} – ${day(to)}`;
  const short = (time: number) => `${to - from > DAY_MS / 2 ? `${day(time).slice(5)} ` : ''}${clock(time).slice(0, 5)}`;
  return `${short(from)} – ${short(to)}`;
}

/** The legend while the pointer is outside of the chart: the sum of calls, or the slowest. */
function overall(unit: ChartProps['unit'], values: Series['values']): string {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return '–';
  return unit === 'ms'
    ? t.charts.most(shown(unit, Math.max(...known)))
    : shown(
        unit,
        known.reduce((sum, value) => sum + value, 0),
      );
}

function optionsOf(current: { readonly current: ChartProps }, width: number): uPlot.Options {
  const props = current.current;
  const { unit, series, kind = 'lines', height = 180 } = props;
  const [faint, line] = [colorOf('--faint'), colorOf('--line')];
  const axis = {
    stroke: faint,
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1 },
    font: FONT,
  };
  const bars = uPlot.paths.bars?.({ size: [0.9, 40] });
  return {
    width,
    height,
    // Half a label of the axis may extend to the right of the last bucket.
    padding: [8, 18, 0, 0],
    cursor: { y: false, drag: { x: props.onBrush !== undefined, y: false, setScale: false } },
    scales: {
      x: { time: true, range: () => rangeOf(current.current) },
      y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] },
    },
    axes: [
      { ...axis, space: 80, values: (_, splits, __, ___, step) => splits.map((one) => axisTime(one, step)) },
      {
        ...axis,
        size: (_, labels) => axisWidth(labels),
        values: (_, splits) => axisLabels(unit, splits),
      },
    ],
    series: [
      {
        label: '',
        value: (_, __, ___, index) => {
          const time = index === null ? undefined : current.current.times[index];
          return time === undefined ? wholeRange(current.current) : `${day(time * 1_000)} ${clock(time * 1_000)}`;
        },
      },
      ...series.map(
        (one): uPlot.Series => ({
          label: one.label,
          stroke: colorOf(one.color),
          ...(kind === 'bars' ? { fill: colorOf(one.color), width: 0 } : { width: 1.5 }),
          ...(kind === 'bars' && bars ? { paths: bars } : {}),
          points: {
            show: false,
            size: 6,
            fill: colorOf(one.color),
            filter: (plot, at) => (kind === 'bars' ? null : lonePoints([...(plot.data[at] ?? [])])),
          },
          // Bars are stacked: the legend shows the part, not the sum.
          value: (_, __, at, index) => {
            const own = current.current.series[at - 1]?.values ?? [];
            return index === null ? overall(unit, own) : shown(unit, own[index]);
          },
        }),
      ),
    ],
    hooks: {
      setSelect: [
        (plot) => {
          if (plot.select.width > 4)
            current.current.onBrush?.(
              plot.posToVal(plot.select.left, 'x'),
              plot.posToVal(plot.select.left + plot.select.width, 'x'),
            );
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
    },
  };
}

function axisTime(seconds: number, step: number): string {
  const time = new Date(seconds * 1_000);
  if (step >= 86_400) return day(time).slice(5);
  return step < 60 ? clock(time) : clock(time).slice(0, 5);
}

/** A chart over time. Bars are stacked; gaps stay gaps. */
export function Chart(props: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const current = useRef(props);
  current.current = props;
  const shape = `${props.series.map(({ label }) => label).join()} ${theme.value} ${props.kind}`;
  const plot = useRef<uPlot | undefined>(undefined);
  const data = dataOf(props);
  // Before the page is painted, so that the content below does not move when the chart appears.
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    const made = new uPlot(optionsOf(current, element.clientWidth || 600), dataOf(current.current), element);
    plot.current = made;
    const click = () => {
      const { idx } = made.cursor;
      const time = idx === null || idx === undefined ? undefined : current.current.times[idx];
      if (time !== undefined && made.select.width === 0) current.current.onPick?.(time);
    };
    made.over.addEventListener('click', click);
    const observer = new ResizeObserver(() =>
      made.setSize({ width: element.clientWidth, height: current.current.height ?? 180 }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [shape]);
  useEffect(() => {
    plot.current?.setData(data);
  }, [data]);
  return (
    <figure class="chart">
      <figcaption>{props.title}</figcaption>
      <div ref={place} role="img" aria-label={summaryOf(props)} />
    </figure>
  );
}

/** Each bucket is drawn around its middle, so that the nearest bucket is the one under the pointer. */
function dataOf({ times, series, kind }: ChartProps): uPlot.AlignedData {
  const middles = times.map((time) => time + stepOf(times) / 2);
  return kind === 'bars' ? [middles, ...stacked(series)] : [middles, ...series.map(({ values }) => [...values])];
}

/** The first series is drawn last: each bar has the height of its own value plus the later series. */
function stacked(series: readonly Series[]): (number | null)[][] {
  return series.map((_, index) =>
    (series[0]?.values ?? []).map((__, place) =>
      series.slice(index).reduce((sum, { values }) => sum + (values[place] ?? 0), 0),
    ),
  );
}

function summaryOf({ title, series, unit }: ChartProps): string {
  const parts = series.map(({ label, values }) => {
    const known = values.filter((value) => value !== null);
    return known.length === 0
      ? `${label}: ${t.charts.none}`
      : `${label}: ${t.charts.most(shown(unit, Math.max(...known)))}`;
  });
  return `${title}. ${parts.join('. ')}`;
}

/** A line without axes, beside a figure. */
export function Sparkline({
  values,
  tone = 'faint',
}: {
  readonly values: readonly (number | null)[];
  readonly tone?: string;
}) {
  const most = Math.max(1, ...values.map((value) => value ?? 0));
  const step = 100 / Math.max(1, values.length - 1);
  const lone = new Set(lonePoints(values));
  const runs = values.map((value, index) => {
    if (value === null) return '';
    const isOpen = typeof values[index - 1] === 'number';
    // A line of zero length is a dot, because its ends are round.
    return `${isOpen ? 'L' : 'M'}${(index * step).toFixed(1)} ${(23 - (value / most) * 22).toFixed(1)}${lone.has(index) ? 'h0' : ''}`;
  });
  return (
    <svg
      class={`sparkline ${tone}`}
      viewBox="0 0 100 24"
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      <path d={runs.join('')} vector-effect="non-scaling-stroke" />
    </svg>
  );
}

interface SparkBarsProps {
  readonly values: readonly (number | null)[];
  /** Places where something failed: marked by colour, and by a foot below the bar. */
  readonly isFailed: readonly boolean[];
}

/** A bar for each value, so that a single value is visible too. */
export function SparkBars({ values, isFailed }: SparkBarsProps) {
  const most = Math.max(1, ...values.map((value) => value ?? 0));
  const width = 100 / Math.max(1, values.length);
  return (
    <svg class="spark-bars" viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <path class="ground" d="M0 17.5H100" vector-effect="non-scaling-stroke" />
      {values.map((value, index) => {
        if (value === null) return null;
        const height = Math.max(1.5, (value / most) * 17);
        const place = { x: index * width + width * 0.15, width: width * 0.7 };
        return (
          <g key={index} class={isFailed[index] ? 'failed' : ''}>
            <rect {...place} y={17 - height} height={height} />
            {isFailed[index] && <rect {...place} y={18} height={2} />}
          </g>
        );
      })}
    </svg>
  );
}
