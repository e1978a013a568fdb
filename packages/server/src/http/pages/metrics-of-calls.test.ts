import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCluster } from '#test/service/cluster.ts'
import { readMetrics } from '#test/http/read-metrics.ts'

test('exposes a call, its phones, its audio and its node during and after the call', async (t) => {
  const cluster = await startCluster(t, { processes: 2, settings: { OFFHOOK_METRICS_TOKEN: 'scrape-me' } })
  const [here] = cluster.processes
  const [ada, bob] = [await cluster.phone(0), await cluster.phone(0)]
  const read = async (...names: string[]): Promise<(number | undefined)[]> => {
    await cluster.clock.advance(10_000)
    const all = await readMetrics(here?.url ?? '', 'scrape-me')
    return names.map((name) => all.get(`offhook_${name}`))
  }
  const during = ['calls{state="active"}', 'registrations', 'rtp_streams', 'leases_held', 'ready', 'bus_up', 'neighbours', 'store_up']
  assert.deepEqual(await read(...during), [0, 2, 0, 0, 1, 1, 1, 1])
  const { caller } = await cluster.connect(ada, bob)
  assert.deepEqual(await read(...during), [1, 2, 2, 1, 1, 1, 1, 1])
  const [age = NaN] = await read('lease_age_seconds')
  assert.ok(age >= 0 && age <= 5, `${age}`)
  cluster.buses[0]?.become('cut')
  assert.deepEqual(await read('bus_up'), [0])
  cluster.buses[0]?.become('well')
  await caller.session.end()
  await here?.running.idle()
  const after = ['calls_ended_total{reason="caller_hangup"}', 'calls_lost_total', 'rtp_streams', 'lease_age_seconds']
  assert.deepEqual(await read(...after), [1, 0, 0, undefined])
  const [sent = 0, received = 0] = await read(
    'sip_responses_total{direction="sent",class="2xx"}',
    'sip_responses_total{direction="received",class="2xx"}',
  )
  assert.ok(sent >= 3 && received >= 1, `${sent} ${received}`)
})
