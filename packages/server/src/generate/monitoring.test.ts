import assert from 'node:assert/strict'
import { test } from 'node:test'
import { families } from '#core/operate/metrics/families/table.ts'
import type { Family } from '#core/operate/metrics/families/table.ts'
import { logEvents } from '#log/log-events.ts'
import { settingsSchema } from '#settings/settings-schema.ts'
import { alerts } from './alerts/alerts.ts'
import { alertsPage } from './generate.ts'
import { dashboard } from './dashboard/dashboard.ts'
import { panels } from './dashboard/dashboard.ts'

const all = Object.values(alerts).flatMap((group) => Object.entries(group))
const queries = Object.values(panels).flatMap((row) => row.flatMap((panel) => panel.queries.map(({ expr }) => expr)))

/** Names that a scrape can contain: three for each histogram. `up` is Prometheus' own. */
const scraped = new Set([
  'up',
  ...Object.entries<Family>(families).flatMap(([name, { type }]) =>
    type === 'histogram' ? ['bucket', 'sum', 'count'].map((end) => `${name}_${end}`) : [name],
  ),
])

/** Metrics of an expression: words that are not quoted, labels, functions or numbers. */
const metricsOf = (expr: string): string[] => {
  const bare = expr.replaceAll(/"[^"]*"/g, '').replaceAll(/\{[^}]*\}|\b(by|on) \([^)]*\)|\[[^\]]*\]/g, '')
  return [...bare.matchAll(/\b[a-z_][a-z0-9_]*\b(?! *\()/g)].map(([word]) => word).filter((word) => !['and', 'or', 'unless'].includes(word))
}

test('uses only metrics that a node can expose in alerts and the dashboard', () => {
  const used = [...all.map(([, { expr }]) => expr), ...queries].flatMap(metricsOf)
  assert.ok(used.length > 100)
  assert.deepEqual(
    [...new Set(used)].filter((name) => !scraped.has(name)),
    [],
  )
})

test('uses only labels of the table in alerts and the dashboard', () => {
  const known = new Set(['instance', 'job', 'le', ...Object.values<Family>(families).flatMap(({ labels }) => labels)])
  const shown = [...all.map(([, { expr, summary }]) => `${expr} ${summary}`), ...queries]
  const used = shown.flatMap((text) => [
    ...[...text.matchAll(/\b(\w+) *(?==~|!=|=")/g)].map(([, label]) => label),
    ...[...text.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label),
    ...[...text.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, */)),
  ])
  assert.deepEqual(
    [...new Set(used)].filter((label) => !known.has(label ?? '')),
    [],
  )
})

test('names only existing settings, metrics and log events in alert texts', () => {
  for (const [name, { meaning, action, summary }] of all) {
    const text = `${meaning} ${action}`
    assert.ok(!summary.endsWith('.') && meaning.endsWith('.') && action.endsWith('.'), name)
    for (const [setting] of text.matchAll(/\bOFFHOOK_[A-Z0-9_]+/g)) assert.ok(setting in settingsSchema, `${name}: ${setting}`)
    for (const [word] of text.matchAll(/\b[a-z]+(_[a-z0-9]+)+\b/g))
      assert.ok(word in families || word in logEvents || notOurs.has(word), `${name}: ${word}`)
  }
})

/** Ends of calls, audio states, and PostgreSQL's own words. */
const notOurs = new Set([
  'endpoint_unavailable',
  'media_timeout',
  'service_failure',
  'unknown_source',
  'max_connections',
  'pg_stat_activity',
])

test("has a documentation section for each alert's link", () => {
  const page = alertsPage()
  for (const [name] of all) assert.ok(page.includes(`\n### ${name}\n`), name)
})

interface Drawn {
  id: number
  type: string
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { refId: string; expr: string; legendFormat: string; datasource: { uid: string } }[]
  fieldConfig?: { defaults: { unit: string; thresholds: { steps: { value: number | null }[] } } }
}

test('builds a dashboard that Grafana can read: ids, positions, units, thresholds, data sources', () => {
  const { panels: drawn, templating, uid } = dashboard() as { panels: Drawn[]; uid: string; templating: { list: { name: string }[] } }
  assert.equal(uid, 'offhook')
  assert.deepEqual(
    templating.list.map(({ name }) => name),
    ['datasource', 'instance'],
  )
  assert.equal(new Set(drawn.map(({ id }) => id)).size, drawn.length)
  const taken = new Set<string>()
  for (const {
    type,
    title,
    gridPos: { x, y, w, h },
    targets = [],
    fieldConfig,
  } of drawn) {
    assert.ok(x + w <= 24, title)
    for (let row = y; row < y + h; row++) {
      assert.ok(!taken.has(`${x} ${row}`), `${title} lies on another`)
      taken.add(`${x} ${row}`)
    }
    if (type === 'row') continue
    assert.ok(targets.length > 0 && new Set(targets.map(({ refId }) => refId)).size === targets.length, title)
    for (const { legendFormat, datasource } of targets)
      assert.deepEqual([legendFormat !== '', datasource.uid], [true, '${datasource}'], title)
    const [first, ...more] = fieldConfig?.defaults.thresholds.steps ?? []
    assert.equal(first?.value, null, title)
    assert.deepEqual(
      more,
      more.toSorted((a, b) => (a.value ?? 0) - (b.value ?? 0)),
      title,
    )
  }
})

test('shows or watches every metric of the table, except explanatory ones', () => {
  const used = new Set(
    [...all.map(([, { expr }]) => expr), ...queries].flatMap(metricsOf).map((name) => name.replace(/_(bucket|sum|count)$/, '')),
  )
  const unused = Object.keys(families).filter((name) => !used.has(name))
  assert.deepEqual(unused, [
    'offhook_calls_running',
    'offhook_rtp_ports_free',
    'offhook_rtp_ports_resting',
    'offhook_rtp_ports_taken',
    'offhook_rtp_ports_hurried_total',
    'offhook_media_ticks_total',
    'offhook_resident_bytes',
    'offhook_heap_total_bytes',
    'offhook_external_bytes',
    'offhook_array_buffer_bytes',
    'offhook_outbox_dead',
    'offhook_bus_ignored_total',
  ])
})
