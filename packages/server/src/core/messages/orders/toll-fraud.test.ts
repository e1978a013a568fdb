import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { spelled } from '#test/routing/dangerous-numbers.ts'
import { openTestStore } from '#test/store/databases.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { openRichAccount } from '#test/world/rich-account.ts'
import { startFlowCall, startCall } from '#core/telephone/orders/start-call.ts'
import type { SessionDeps } from '#core/money/paid-order.ts'
import { sendSms } from './send-sms.ts'

test('rejects every spelling of a dangerous number at every entry point', async (t) => {
  const store = await openTestStore(t, 'sqlite')
  const clock = new VirtualClock()
  let asked = 0
  const take = async (): Promise<void> => void asked++
  const deps: SessionDeps = { store, clock, wake: () => {}, orders: { startCall: take, sendFax: take, sendSms: take } }
  const { user, device, flowId: flow, smsId: sms } = await store.write((tables) => openRichAccount(tables, clock))
  const refused = (order: Promise<void>) =>
    assert.rejects(order, (error: { status: number }) => error.status === 400 || error.status === 403)
  await fc.assert(
    fc.asyncProperty(spelled, async (written) => {
      await refused(startCall(deps, user, randomUUID(), { caller: device, callee: written }))
      await refused(startCall(deps, user, randomUUID(), { caller: written, callee: '+4921163554444', deviceId: device }))
      await refused(sendSms(deps, user, randomUUID(), { smsId: sms, recipient: written, message: 'x' }))
      await refused(startFlowCall(deps, user, randomUUID(), { flowId: flow, billingDevice: device, toPhoneNumber: written }))
    }),
    { numRuns: 2_000 },
  )
  assert.equal(asked, 0)
  await startCall(deps, user, randomUUID(), { caller: device, callee: '+4921163554444' })
  assert.equal(asked, 1, 'an honest call does reach the line')
})
