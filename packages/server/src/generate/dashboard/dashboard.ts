import type { Area } from '#core/operate/metrics/families/table.ts'
import { areaTitles } from '../area-titles.ts'
import { type Panel, chosen, one, quantiles, rate, type PanelsByArea } from './panel.ts'

const datasource = { type: 'prometheus', uid: '${datasource}' }
/** Panels per row; Grafana's grid has 24 columns. */
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

/** Where low values are bad, values below the last step are red. */
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

const calls: Panel[] = [
  { ...one('Running calls', 'short', `sum by (state) (offhook_calls{${chosen}})`, '{{state}}'), stacked: true },
  {
    title: 'Calls a second',
    unit: 'cps',
    queries: ['started', 'answered', 'failed'].map((what) => ({
      expr: `sum(rate(offhook_calls_${what}_total{${chosen}}[$__rate_interval]))`,
      legend: what,
    })),
  },
  { ...one('How calls end', 'cps', rate('offhook_calls_ended_total', 'reason'), '{{reason}}'), stacked: true },
  quantiles('Until somebody rings or answers', 'offhook_call_setup_seconds'),
  { ...one('Trunks', 'short', 'max by (name) (offhook_trunk_up)', '{{name}}'), kind: 'stat', thresholds: [1, 0.5] },
  one('Calls over trunks', 'short', `sum by (name) (offhook_trunk_calls{${chosen}})`, '{{name}}'),
  { ...one('Registered phones', 'short', 'max(offhook_registrations)', 'phones'), kind: 'stat' },
  one('SIP responses', 'cps', rate('offhook_sip_responses_total', 'direction, class'), '{{direction}} {{class}}'),
  one('Banned SIP sources in ten minutes', 'short', `sum by (instance) (increase(offhook_sip_bans_total{${chosen}}[10m]))`),
  one('Dropped SIP messages', 'cps', rate('offhook_sip_dropped_total', 'reason'), '{{reason}}'),
  one('Rejected calls of trunks', 'cps', rate('offhook_trunk_rejected_calls_total', 'name'), '{{name}}'),
  {
    title: 'Assistants and faxes at work',
    unit: 'short',
    queries: [
      { expr: `sum(offhook_sessions_running{${chosen}})`, legend: 'assistants' },
      { expr: `sum(offhook_faxes_running{${chosen}})`, legend: 'faxes' },
    ],
  },
  quantiles('REST requests', 'offhook_http_seconds'),
  one('REST requests that failed', 'cps', rate('offhook_http_failures_total', 'instance')),
]

const turn: Panel[] = [
  quantiles('From the caller’s last sound to the answer', 'offhook_turn_seconds'),
  quantiles('Customers’ endpoints', 'offhook_endpoint_seconds'),
  { ...one('Attempts to reach endpoints', 'cps', rate('offhook_endpoint_attempts_total', 'outcome'), '{{outcome}}'), stacked: true },
  quantiles('Call notifications', 'offhook_notification_seconds'),
  { ...one('Call notifications by outcome', 'cps', rate('offhook_notification_attempts_total', 'outcome'), '{{outcome}}'), stacked: true },
  {
    ...one('Endpoints that are spared', 'short', 'max(offhook_endpoint_breakers_open)', 'endpoints'),
    kind: 'stat',
    thresholds: [1, 5],
  },
  one('Claims of assistants in an hour', 'short', `sum by (outcome) (increase(offhook_agent_claims_total{${chosen}}[1h]))`, '{{outcome}}'),
  one('Restarts of the agent in an hour', 'short', `sum by (instance) (increase(offhook_agent_restarts_total{${chosen}}[1h]))`),
  one(
    'Waiting for a speech thread (p95)',
    's',
    `histogram_quantile(0.95, sum by (le, part) (rate(offhook_speech_queue_seconds_bucket{${chosen}}[$__rate_interval])))`,
    '{{part}}',
  ),
  one('Waiting for speech now', 'short', `sum by (part) (offhook_speech_waiting{${chosen}})`, '{{part}}'),
]

const worst = (name: string, part: number): string =>
  `histogram_quantile(${part}, sum by (le) (rate(${name}_bucket{${chosen}}[$__rate_interval])))`

const sound: Panel[] = [
  {
    title: 'MOS of streams that ended',
    unit: 'none',
    queries: [
      { expr: worst('offhook_rtp_mos', 0.5), legend: 'half are below' },
      { expr: worst('offhook_rtp_mos', 0.1), legend: 'one in ten is below' },
    ],
    thresholds: [4, 3.5],
  },
  quantiles('Jitter of streams', 'offhook_rtp_jitter_seconds'),
  {
    title: 'Lost packets',
    unit: 'percentunit',
    queries: [
      {
        expr: `sum by (instance) (rate(offhook_rtp_lost_packets_total{${chosen}}[$__rate_interval])) / (sum by (instance) (rate(offhook_rtp_lost_packets_total{${chosen}}[$__rate_interval])) + sum by (instance) (rate(offhook_rtp_received_packets_total{${chosen}}[$__rate_interval])))`,
        legend: '{{instance}}',
      },
      { expr: worst('offhook_rtp_loss_ratio', 0.95), legend: 'one stream in twenty is above' },
    ],
  },
  one('Packets thrown away', 'pps', rate('offhook_rtp_refused_packets_total', 'instance')),
  one(
    'Not heard, or does not hear us',
    'short',
    `sum by (state) (increase(offhook_sound_missing_total{${chosen}}[$__rate_interval]))`,
    '{{state}}',
  ),
  one('Audio sent late', 'cps', rate('offhook_media_late_ticks_total', 'instance')),
  {
    title: 'RTP ports',
    unit: 'percentunit',
    queries: [{ expr: `offhook_rtp_ports_used{${chosen}} / offhook_rtp_ports{${chosen}}`, legend: '{{instance}}' }],
    thresholds: [0.7, 0.8],
  },
  one('Open streams', 'short', `offhook_rtp_streams{${chosen}}`),
]

const machine: Panel[] = [
  one('Load (1 is the limit)', 'short', `max by (reason) (offhook_load_ratio{${chosen}})`, '{{reason}}'),
  one(
    'Rejected because of overload',
    'cps',
    `sum by (kind, reason) (rate(offhook_shed_total{${chosen}}[$__rate_interval]))`,
    '{{kind}}: {{reason}}',
  ),
  one('Overloaded', 'short', `offhook_overloaded{${chosen}}`),
  { ...one('Up', 'short', `up{job="offhook",${chosen}}`), kind: 'stat', thresholds: [1, 0.5] },
  { ...one('Version', 'short', `count by (version, node) (offhook_build_info{${chosen}})`, '{{version}} on Node {{node}}'), kind: 'stat' },
  one('Processors', 'short', `sum by (instance) (rate(process_cpu_seconds_total{job="offhook",${chosen}}[$__rate_interval]))`),
  one('Processors by thread', 'short', rate('offhook_thread_cpu_seconds_total', 'instance, thread'), '{{instance}} {{thread}}'),
  {
    ...one('Main thread: late (p99)', 's', `nodejs_eventloop_lag_p99_seconds{job="offhook",${chosen}}`),
    thresholds: [0.1, 0.2],
  },
  {
    ...one('Main thread: busy', 'percentunit', `rate(nodejs_eventloop_busy_seconds_total{job="offhook",${chosen}}[$__rate_interval])`),
    thresholds: [0.7, 0.9],
  },
  one(
    'Main thread: collecting garbage',
    'percentunit',
    `sum by (instance, kind) (rate(nodejs_gc_duration_seconds_sum{job="offhook",${chosen}}[$__rate_interval]))`,
    '{{instance}} {{kind}}',
  ),
  one('Memory', 'bytes', `process_resident_memory_bytes{job="offhook",${chosen}}`),
  {
    ...one(
      'Heaps, of what they may have',
      'percentunit',
      `offhook_heap_used_bytes{${chosen}} / offhook_heap_limit_bytes{${chosen}}`,
      '{{instance}} {{thread}} {{id}}',
    ),
    thresholds: [0.7, 0.8],
  },
  {
    title: 'Traces',
    unit: 'cps',
    queries: ['sent', 'dropped'].map((what) => ({
      expr: `sum(rate(offhook_trace_spans_${what}_total{${chosen}}[$__rate_interval]))`,
      legend: what,
    })),
  },
  one('Files and sockets', 'short', `process_open_fds{job="offhook",${chosen}}`),
  {
    title: 'Free on the data disk',
    unit: 'percentunit',
    queries: [{ expr: `offhook_data_free_bytes{${chosen}} / offhook_data_size_bytes{${chosen}}`, legend: '{{instance}}' }],
    thresholds: [0.2, 0.1],
  },
  {
    ...one(
      'Certificates end',
      'dateTimeFromNow',
      `1000 * min by (name) (offhook_certificate_expiry_timestamp_seconds{${chosen}})`,
      '{{name}}',
    ),
    kind: 'stat',
  },
]

const store: Panel[] = [
  { ...one('Database', 'short', `offhook_store_up{${chosen}}`), kind: 'stat', thresholds: [1, 0.5] },
  quantiles('Transactions that write', 'offhook_db_write_seconds'),
  quantiles('Statements (PostgreSQL)', 'offhook_db_query_seconds'),
  {
    title: 'Connections (PostgreSQL)',
    unit: 'short',
    queries: ['size', 'idle', 'waiting'].map((what) => ({ expr: `sum(offhook_db_pool_${what}{${chosen}})`, legend: what })),
  },
  one('Waiting messages', 'short', 'max by (kind) (offhook_outbox_pending)', '{{kind}}'),
  {
    title: 'Oldest message, and most late',
    unit: 's',
    queries: [
      { expr: 'max by (kind) (offhook_outbox_oldest_seconds)', legend: '{{kind}} oldest' },
      { expr: 'max by (kind) (offhook_outbox_overdue_seconds)', legend: '{{kind}} late' },
    ],
  },
  one('Given up in an hour', 'short', `sum by (kind) (increase(offhook_dead_letters_total{${chosen}}[1h]))`, '{{kind}}'),
  one('Jobs', 'short', 'max by (kind) (offhook_jobs_pending)', '{{kind}}'),
  one('Parked jobs', 'short', 'max by (kind) (offhook_jobs_parked)', '{{kind}}'),
  one('Most late job', 's', 'max(offhook_jobs_overdue_seconds)', 'late'),
  one('Waiting on the disk for the database', 'short', `offhook_journal_entries{${chosen}}`),
]

const cluster: Panel[] = [
  { ...one('Takes calls', 'short', `offhook_ready{${chosen}}`), kind: 'stat', thresholds: [1, 0.5] },
  { ...one('Bus', 'short', `offhook_bus_up{${chosen}}`), kind: 'stat', thresholds: [1, 0.5] },
  one('Other processes that are heard', 'short', `offhook_neighbours{${chosen}}`),
  one('Calls and sessions held', 'short', `offhook_leases_held{${chosen}}`),
  { ...one('Age of the lease', 's', `offhook_lease_age_seconds{${chosen}}`), thresholds: [7, 10] },
  {
    title: 'Calls that changed hands',
    unit: 'short',
    queries: [
      { expr: `sum by (instance) (increase(offhook_calls_lost_total{${chosen}}[$__rate_interval]))`, legend: '{{instance}} lost' },
      { expr: `sum by (instance) (increase(offhook_calls_resumed_total{${chosen}}[$__rate_interval]))`, legend: '{{instance}} went on' },
    ],
  },
]

/** The dashboard, row by row. */
export const panels: PanelsByArea = { calls, turn, sound, machine, store, cluster }
