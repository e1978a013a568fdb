import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld } from '#test/world/world.ts'

const hour = 3_600

test('rejects shifting time outside a sandbox', async (t) => {
  const world = await startWorld(t)
  const operator = await world.operator()
  assert.equal(world.running.deps.clock, world.running.deps.wallClock, 'there is one time')
  const says = ({ status, body }: { status: number; body: { code: string } }) => {
    assert.deepEqual([status, body.code], [404, 'sandbox_off'])
    return true
  }
  const refused = [operator.getSandboxTime(), operator.putSandboxTimeForward({}, { seconds: 60 })]
  await Promise.all(refused.map((one) => assert.rejects(one, says)))
  assert.ok(!('sandboxTimeUrl' in (await world.client().getIndex())))
})

test('lets only the operator shift time forward, audits it, and runs everything at its time', async (t) => {
  const world = await startWorld(t, { settings: { OFFHOOK_SANDBOX: 'on' } })
  const operator = await world.operator()
  const start = world.clock.now()
  assert.deepEqual(await operator.getSandboxTime(), { now: new Date(start).toISOString(), aheadSeconds: 0 })
  const now = new Date(start + 90_000).toISOString()
  assert.deepEqual(await operator.putSandboxTimeForward({}, { seconds: 90 }), { now, aheadSeconds: 90 })
  assert.equal(world.running.deps.clock.now(), start + 90_000)
  assert.equal(world.running.deps.wallClock.now(), start, 'phones keep the real time')
  for (const seconds of [0, -1, 1.5, 1e9]) await assert.rejects(operator.putSandboxTimeForward({}, { seconds }), { status: 400 })
  const ada = await world.newAccount()
  await assert.rejects(ada.api.putSandboxTimeForward({}, { seconds: 1 }), { status: 401 })
  const entries = (await operator.listAudit({ chain: 'operator', limit: 100 })).items
  assert.deepEqual(entries.find(({ action }) => action === 'sandbox.forward')?.detail, { seconds: 90 })
  assert.equal((await world.client().getIndex()).sandboxTimeUrl, `${world.url}/operator/v1/sandbox/time`)

  const at = world.running.deps.clock.now()
  await world.write(({ outbox }) => outbox.put({ id: 'm', kind: 'mail', payload: 'nonsense', at }))
  await operator.putSandboxTimeForward({}, { seconds: 7 * hour })
  assert.deepEqual((await operator.listDeadLetters()).items, [], 'the last try is still to come')
  await operator.putSandboxTimeForward({}, { seconds: hour })
  const [letter] = (await operator.listDeadLetters()).items
  assert.deepEqual([letter?.id, letter?.attempts], ['m', 7])
})
