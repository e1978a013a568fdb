import assert from 'node:assert/strict'
import { test } from 'node:test'
import { families } from '#core/operate/metrics/families/table.ts'
import { startWorld } from '#test/world/world.ts'

test('serves the metrics of a node to Prometheus with the configured token only', async (t) => {
  const world = await startWorld(t, { settings: { OFFHOOK_METRICS_TOKEN: 'scrape-me' } })
  const ada = await world.newAccount()
  await ada.api.getAccount()
  await ada.api.getAccount()
  const ask = (authorization?: string) => fetch(`${world.url}/metrics`, { headers: authorization === undefined ? {} : { authorization } })
  for (const wrong of [undefined, 'Bearer ', 'Bearer scrape-you', 'scrape-me', `Bearer ${ada.token}`])
    assert.equal((await ask(wrong)).status, 401)
  const reply = await ask('Bearer scrape-me')
  assert.match(reply.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  const text = await reply.text()
  assert.match(text, /^offhook_http_seconds_count 2$/m)
  assert.match(text, /^offhook_http_seconds_bucket\{le="\+Inf"\} 2$/m)
  assert.match(text, /^# TYPE offhook_calls_started_total counter\noffhook_calls_started_total 0$/m)
  for (const name of ['heap_used_bytes', 'heap_total_bytes', 'heap_limit_bytes', 'external_bytes', 'array_buffer_bytes', 'heap_near_limit'])
    assert.match(text, new RegExp(`^offhook_${name}\\{thread="main",id="0"\\} \\d+$`, 'm'))
  assert.match(text, /^offhook_resident_bytes [1-9]\d+$/m)
  for (const line of text.trimEnd().split('\n'))
    assert.match(line, /^(# (HELP|TYPE) \w+ .+|[a-z_0-9]+(\{\w+="[^"]+"(,\w+="[^"]+")*\})? \d+(\.\d+)?(e-\d+)?)$/)
})

/** Metrics that appear only where the feature exists, or after the event. */
const seldom = [
  'offhook_calls_ended_total',
  'offhook_trunk_up',
  'offhook_trunk_calls',
  'offhook_trunk_rejected_calls_total',
  'offhook_agent_claims_total',
  'offhook_endpoint_attempts_total',
  'offhook_notification_attempts_total',
  'offhook_speech_queue_seconds',
  'offhook_speech_waiting',
  'offhook_sound_missing_total',
  'offhook_shed_total',
  'offhook_certificate_expiry_timestamp_seconds',
  'offhook_outbox_pending',
  'offhook_outbox_oldest_seconds',
  'offhook_outbox_overdue_seconds',
  'offhook_outbox_dead',
  'offhook_dead_letters_total',
  'offhook_bus_up',
  'offhook_bus_ignored_total',
  'offhook_neighbours',
  'offhook_lease_age_seconds',
  'offhook_trace_spans_sent_total',
  'offhook_trace_spans_dropped_total',
]
const ofPostgres = [
  'offhook_db_pool_size',
  'offhook_db_pool_idle',
  'offhook_db_pool_waiting',
  'offhook_db_query_seconds',
  'offhook_journal_entries',
]

test('exposes every metric of the table as soon as it has a value', async (t) => {
  const world = await startWorld(t, { settings: { OFFHOOK_METRICS_TOKEN: 'scrape-me', OFFHOOK_SHED_LOAD: 'on' } })
  const text = await (await fetch(`${world.url}/metrics`, { headers: { authorization: 'Bearer scrape-me' } })).text()
  const shown = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name))
  const missing = Object.keys(families).filter((name) => !shown.has(name) && !seldom.includes(name))
  assert.deepEqual(missing, shown.has('offhook_db_pool_size') ? [] : ofPostgres)
})

test('does not exist without a configured token', async (t) => {
  const world = await startWorld(t)
  assert.equal((await fetch(`${world.url}/metrics`)).status, 404)
})
