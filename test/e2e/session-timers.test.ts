import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createClient } from '@offhook/sdk'
import { needs } from '#test/peers/debian.ts'
import { until } from '#test/machine/peer-process.ts'
import { assertSucceeded, startSipp } from '#test/peers/sipp.ts'
import { startWorld, type World } from '#test/world/world.ts'

const carrier = '127.0.0.2'

/** World whose demo number a scripted carrier calls; resolves when connected. */
const talking = async (t: TestContext, scenario: string): Promise<{ world: World; over: Promise<void>; calls: () => Promise<number> }> => {
  const world = await startWorld(t, { settings: { OFFHOOK_DEMO: 'on' } })
  const { notes } = world.running.firstStart
  const operator = createClient({ baseUrl: world.url, token: notes?.operator.token })
  const admin = createClient({ baseUrl: world.url, token: notes?.token })
  await operator.createTrunk({}, { name: 'Carrier', host: carrier, sourceAddresses: [carrier] })
  const options = { scenario, target: world.running.sip.replace('sip:', ''), service: notes?.number ?? '', address: carrier }
  const caller = await startSipp(t, options)
  const calls = async (): Promise<number> => (await admin.listCalls()).data.length
  await until('the call', async () => /^ACK /m.test(await caller.messages()))
  return { world, calls, over: caller.result().then((result) => assertSucceeded(result, options)) }
}

test('refreshes the session after half of its interval when we are the refresher', async (t) => {
  if (!(await needs(t, 'sipp'))) return
  const { world, over, calls } = await talking(t, 'uac-session-timer-peer')
  await world.clock.advance(44_000)
  assert.equal(await calls(), 1)
  await world.clock.advance(2_000)
  await over
  await until('the end of the call', async () => (await calls()) === 0)
})

test('ends a session that the far end does not refresh', async (t) => {
  if (!(await needs(t, 'sipp'))) return
  const { world, over, calls } = await talking(t, 'uac-session-timer-silent')
  await world.clock.advance(45_000)
  assert.equal(await calls(), 1)
  await world.clock.advance(45_000)
  await over
  await until('the end of the call', async () => (await calls()) === 0)
})
