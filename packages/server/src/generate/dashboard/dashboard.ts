import type { Area } from '#core/operate/metrics/families/family.ts'
import { areaTitles } from '../area-titles.ts'
import type { Panel } from './panel.ts'
import { panels } from './panels.ts'

const datasource = { type: 'prometheus', uid: '${datasource}' }
/** Grafana's grid has 24 columns. */
const across = 3
const width = 24 / across
const height = 8

/** deploy/grafana/offhook.json, to be imported into Grafana 10 or later. */
export const dashboard = (): object => ({
  title: 'Offhook',
  uid: 'offhook',
  description: 'Generated from the sources of the service: save changes under another name.',
  tags: ['offhook'],
  schemaVersion: 39,
  version: 1,
  editable: true,
  graphTooltip: 1,
  refresh: '30s',
  time: { from: 'now-3h', to: 'now' },
  timezone: 'browser',
  annotations: { list: [alertMarks] },
  links: [],
  templating: { list: [datasourceVariable, instanceVariable] },
  panels: rows(),
})

const alertMarks = {
  name: 'Alerts',
  datasource,
  enable: true,
  expr: 'ALERTS{alertname=~"Offhook.*",alertstate="firing"}',
  iconColor: 'red',
  titleFormat: '{{alertname}}',
  textFormat: '{{instance}} {{kind}} {{name}}',
}

const datasourceVariable = { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus', refresh: 1, hide: 0 }

const instanceVariable = {
  name: 'instance',
  label: 'Process',
  type: 'query',
  datasource,
  query: { query: 'label_values(up{job="offhook"}, instance)', refId: 'instance' },
  refresh: 2,
  sort: 1,
  multi: true,
  includeAll: true,
  allValue: '.*',
  current: { text: 'All', value: '$__all' },
  hide: 0,
}

/** Each area is a row with its panels below it. */
const rows = (): object[] => {
  let id = 0
  let y = 0
  return Object.entries(panels).flatMap(([area, members]) => {
    const row = {
      id: ++id,
      type: 'row',
      title: areaTitles[area as Area],
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y: y++, w: 24, h: 1 },
    }
    const top = y
    y += Math.ceil(members.length / across) * height
    const place = (index: number) => ({ x: (index % across) * width, y: top + Math.floor(index / across) * height, w: width, h: height })
    return [row, ...members.map((panel, index) => ({ id: ++id, ...drawn(panel), gridPos: place(index) }))]
  })
}

const drawn = (panel: Panel): object => {
  const { title, unit, queries, kind = 'timeseries', stacked } = panel
  const custom = { drawStyle: 'line', lineWidth: 1, fillOpacity: stacked ? 30 : 5, showPoints: 'never', spanNulls: false }
  const stacking = { mode: stacked ? 'normal' : 'none', group: 'A' }
  return {
    type: kind,
    title,
    datasource,
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCodePoint(65 + index),
      datasource,
      expr,
      legendFormat: legend,
      editorMode: 'code',
      range: kind === 'timeseries',
      instant: kind === 'stat',
    })),
    fieldConfig: {
      defaults: {
        unit,
        min: unit === 'dateTimeFromNow' ? null : 0,
        color: { mode: kind === 'stat' ? 'thresholds' : 'palette-classic' },
        thresholds: thresholdsOf(panel),
        ...(kind === 'timeseries' && { custom: { ...custom, stacking, thresholdsStyle: { mode: panel.thresholds ? 'line' : 'off' } } }),
      },
      overrides: [],
    },
    options: kind === 'stat' ? statOptions : seriesOptions,
  }
}

const statOptions = {
  colorMode: 'background',
  graphMode: 'none',
  justifyMode: 'auto',
  orientation: 'auto',
  textMode: 'value_and_name',
  reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
}

const seriesOptions = {
  legend: { displayMode: 'table', placement: 'bottom', showLegend: true, calcs: ['lastNotNull', 'max'] },
  tooltip: { mode: 'multi', sort: 'desc' },
}

/** Where small values are bad, what is below the last step is red. */
const thresholdsOf = ({ thresholds }: Panel): object => {
  if (!thresholds) return { mode: 'absolute', steps: [{ color: 'green', value: null }] }
  const [yellow, red] = thresholds
  const steps =
    red > yellow
      ? [step('green', null), step('yellow', yellow), step('red', red)]
      : [step('red', null), step('yellow', red), step('green', yellow)]
  return { mode: 'absolute', steps }
}

const step = (color: string, value: number | null) => ({ color, value })
