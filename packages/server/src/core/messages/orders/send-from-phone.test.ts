import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { connected, customer, euro, holds, landline, mobile, type Customer, type TestOrders } from '#test/world/test-orders.ts'
import { databases, type Database, type World } from '#test/world/world.ts'
import type { PhoneMessages } from '#core/kernel/ports/messages.ts'
import { sendFromPhone } from './send-from-phone.ts'

/** Phones that accept every message, unless they are off. */
class Phones implements PhoneMessages {
  readonly got: string[] = []
  readonly off = new Set<string>()

  async send({ deviceId }: { deviceId: string }, { from, text }: { from: string; text: string }): Promise<number> {
    if (this.off.has(deviceId)) return 0
    this.got.push(`${from} → ${deviceId}: ${text}`)
    return 1
  }
}

interface PhoneTextFixture {
  world: World
  orders: TestOrders
  ada: Customer
  phones: Phones
  write(to: string, text?: string, id?: string): Promise<string>
}

const openFixture = async (t: TestContext, database: Database, amount = 5 * euro): Promise<PhoneTextFixture> => {
  const { world, orders } = await connected(t, database)
  const ada = await customer(world, amount)
  const phones = new Phones()
  const take = sendFromPhone({ ...world.running.deps, phones })
  const write = (to: string, text = 'Hello', id = randomUUID()) => take({ accountId: ada.accountId, deviceId: ada.device, to, text, id })
  return { world, orders, ada, phones, write }
}

const addSender = async ({ world, ada }: PhoneTextFixture): Promise<string> =>
  world.write(async (tables) => {
    const [sms] = await tables.smsLines.list(ada.accountId, ada.userId)
    const id = await tables.smsLines.awaitCode(ada.accountId, sms!.id, landline, { hash: 'x', expiresAt: 1 })
    await tables.smsLines.markVerified(ada.accountId, sms!.id, id!, 0)
    await tables.smsLines.setDefault(ada.accountId, sms!.id, id)
    return sms!.id
  })

for (const database of databases) {
  test(`${database}: sends a text to a number as an SMS of the phone's owner and charges repetitions once`, async (t) => {
    const on = await openFixture(t, database)
    await assert.rejects(on.write(mobile), { code: 'sms_sender_missing' })
    const smsId = await addSender(on)
    const id = randomUUID()
    for (const written of ['0151 12345678', mobile]) assert.equal(await on.write(written, '€'.repeat(81), id), 'accepted')
    const { accountId, userId } = on.ada
    const expected = { sessionId: id, accountId, userId, smsId, sender: landline, recipient: mobile, message: '€'.repeat(81) }
    assert.deepEqual({ ...on.orders.messages[0], sendAt: undefined }, { ...expected, sendAt: undefined })
    assert.equal((await holds(on.world, accountId)).reserved, 2 * 790)
    assert.deepEqual(on.phones.got, [])
  })

  test(`${database}: rejects a text without funds or to a forbidden number`, async (t) => {
    const on = await openFixture(t, database, 700)
    await addSender(on)
    await assert.rejects(on.write(mobile), { code: 'insufficient_funds' })
    await assert.rejects(on.write('0900 1234567'), { code: 'destination_blocked' })
    for (const to of ['112', '116117', '50000', 'e99', 'w0', 'nobody', ''])
      await assert.rejects(on.write(to), { code: 'callee_invalid' }, to)
    assert.equal(on.orders.messages.length, 0)
    assert.equal(await on.write(on.ada.number), 'accepted', 'a number of this service costs nothing')
    assert.equal(on.orders.messages[0]?.recipient, on.ada.number)
  })

  test(`${database}: passes a text to phones of the account with a sender that can be answered`, async (t) => {
    const on = await openFixture(t, database)
    const { world, ada, phones } = on
    const { id: desk, credentials } = await ada.api.createRegisterDevice({ userId: ada.userId }, { alias: 'Desk' })
    const take = sendFromPhone({ ...world.running.deps, phones })
    const reply = { accountId: ada.accountId, deviceId: desk, to: `${ada.accountId}${ada.device}`, text: 'Hi', id: randomUUID() }
    assert.equal(await take(reply), 'delivered')
    assert.deepEqual(phones.got, [`${credentials.username} → ${ada.device}: Hi`])
    const { activePhonelines } = await ada.api.getDevice({ deviceId: desk })
    const line = { userId: ada.userId, phonelineId: activePhonelines[0]!.id }
    await ada.api.addPhonelineDevice(line, { deviceId: ada.device }).catch(() => {})
    assert.equal(await take({ ...reply, to: line.phonelineId }), 'delivered', 'to a line: all its phones but the own')
    assert.equal(phones.got.length, 2)
    phones.off.add(ada.device)
    await assert.rejects(take(reply), { code: 'line_unavailable' })
    assert.equal(on.orders.messages.length, 0)
    assert.deepEqual(await holds(world, ada.accountId), { amount: 5 * euro, reserved: 0 })
  })

  test(`${database}: rejects extensions of another account`, async (t) => {
    const on = await openFixture(t, database)
    const eve = await customer(on.world)
    await assert.rejects(on.write(`${eve.accountId}${eve.device}`), { code: 'callee_invalid' })
    assert.deepEqual(on.phones.got, [])
  })
}
