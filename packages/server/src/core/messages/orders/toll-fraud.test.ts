import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { spelled } from '#test/switchboard/dangerous-numbers.ts'
import { openTestStore } from '#test/store/databases.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { createAccount, createUser } from '#core/account/accounts/create-account.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { topUp } from '#core/money/funds.ts'
import { openTariff } from '#core/money/open-tariff.ts'
import { startFlowCall } from '#core/telephone/orders/flow-call.ts'
import type { SessionParts } from '#core/money/paid-order.ts'
import { sendSms } from './send-sms.ts'
import { startCall } from '#core/telephone/orders/start-call.ts'

test('no spelling of a dangerous number gets past any entrance', async (t) => {
  const store = await openTestStore(t, 'sqlite')
  const clock = new VirtualClock()
  let asked = 0
  const take = async (): Promise<void> => void asked++
  const parts: SessionParts = { store, clock, wake: () => {}, orders: { startCall: take, sendFax: take, sendSms: take } }
  const flow = randomUUID()
  const { user, device, sms } = await store.write(async (tables) => {
    const tariffId = await openTariff(tables, clock, { currency: 'EUR' })
    const accountId = await createAccount(tables, clock, { company: 'Rich', country: 'DE', locale: 'en_US', currency: 'EUR', tariffId })
    const wish = { email: 'a@example.com', passwordHash: '', firstname: 'A', lastname: 'B', admin: true, locale: 'en_US' } as const
    const userId = await createUser(tables, clock, accountId, wish)
    await topUp(tables, clock, { accountId, amount: 100_000_000, reason: 'cash', idempotencyKey: '1', actor: 'test' })
    const [phoneline] = await tables.phonelines.list(accountId, userId)
    const number = {
      id: randomUUID(),
      e164: '+4915790000001',
      type: 'MOBILE',
      state: 'ACTIVE',
      endpointId: phoneline!.id,
      createdAt: 0,
    } as const
    await tables.numbers.insert(accountId, number)
    await tables.flows.insert(accountId, { id: flow, name: 'Shop', settings: { phoneNumber: '4915790000001' } }, 0)
    const user: UserCaller = { kind: 'user', accountId, userId, admin: true, scopes: ['all'], tokenId: 't' }
    const [line] = await tables.smsLines.list(accountId, userId)
    return { user, device: await tables.devices.insert(accountId, { owner: userId, alias: '', type: 'REGISTER', at: 0 }), sms: line!.id }
  })
  const refused = (order: Promise<void>) =>
    assert.rejects(order, (error: { status: number }) => error.status === 400 || error.status === 403)
  await fc.assert(
    fc.asyncProperty(spelled, async (written) => {
      await refused(startCall(parts, user, randomUUID(), { caller: device, callee: written }))
      await refused(startCall(parts, user, randomUUID(), { caller: written, callee: '+4921163554444', deviceId: device }))
      await refused(sendSms(parts, user, randomUUID(), { smsId: sms, recipient: written, message: 'x' }))
      await refused(startFlowCall(parts, user, randomUUID(), { flowId: flow, billingDevice: device, toPhoneNumber: written }))
    }),
    { numRuns: 2_000 },
  )
  assert.equal(asked, 0)
  await startCall(parts, user, randomUUID(), { caller: device, callee: '+4921163554444' })
  assert.equal(asked, 1, 'an honest call does reach the line')
})
