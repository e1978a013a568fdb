import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { openOffice } from '#test/phones/sip-office.ts'
import { countPostgres } from '#test/store/counted-postgres.ts'
import { databases, type Database } from '#test/store/databases.ts'
import { createDevice } from '#core/account/devices/create-device.ts'
import type { Refresh, Registration, SipIdentity } from '#core/kernel/ports/store/device.ts'
import { Refreshes } from './registrar.ts'

const minute = 60_000
const contactsEach = 25

const aRegistration = (contact: string, expiresAt: number, cseq: number): Registration => ({
  contact,
  path: '',
  q: '',
  ip: '192.0.2.7',
  via: '',
  origin: '',
  port: 5070,
  transport: 'udp',
  userAgent: 'Phone',
  callId: `call of ${contact}`,
  cseq,
  expiresAt,
})

/** Phones that are registered for ten more minutes. */
const openPhones = async (t: TestContext, database: Database, devices: number) => {
  const { store, clock, vault, accountId } = await openOffice(t, database)
  const expiresAt = clock.now() + 10 * minute
  const identities: SipIdentity[] = await store.write(async (tables) => {
    const userId = (await tables.users.list(accountId))[0]?.id ?? ''
    const input = { accountId, userId, type: 'REGISTER', alias: 'Phone', actor: userId } as const
    const made: SipIdentity[] = []
    for (let nth = 0; nth < devices; nth++) {
      const deviceId = await createDevice(tables, clock, vault, input)
      const passwordSealed = (await tables.devices.find(accountId, deviceId))?.sip?.passwordSealed ?? ''
      for (let contact = 0; contact < contactsEach; contact++)
        await tables.devices.register(accountId, deviceId, aRegistration(`sip:${nth}@10.0.0.${contact}`, expiresAt, 1), clock.now())
      made.push({ accountId, deviceId, passwordSealed })
    }
    return made
  })
  const refreshes = new Refreshes({ store, clock, windowMs: 250 })
  const again = (identity: SipIdentity, contact: string, more: Partial<Registration> = {}): Refresh => ({
    identity,
    registration: { ...aRegistration(contact, clock.now() + 10 * minute, 2), ...more },
  })
  return { store, clock, accountId, identities, refreshes, again }
}

for (const database of databases) {
  test(`${database}: 2,000 refreshes take a handful of statements and are visible to any process`, async (t) => {
    const { store, clock, accountId, identities, refreshes, again } = await openPhones(t, database, 80)
    await clock.advance(5 * minute)
    const counted = countPostgres(t)
    const asked = identities.flatMap((identity, nth) =>
      Array.from({ length: contactsEach }, (_, contact) => refreshes.renew(again(identity, `sip:${nth}@10.0.0.${contact}`))),
    )
    let answered = 0
    for (const one of asked) void one.then(() => answered++)
    while (answered < asked.length) {
      if (clock.pending() > 0) await clock.advance(250)
      await new Promise((resolve) => setImmediate(resolve))
    }
    assert.ok((await Promise.all(asked)).every((bindings) => bindings?.length === contactsEach))
    assert.ok(counted.statements <= 10, `${counted.statements} statements`)
    // Answered refreshes are written: the process may die now, and its phones ring until their expiry.
    await clock.advance(9 * minute)
    const found = await store.read.devices.registrations(
      accountId,
      identities.map(({ deviceId }) => deviceId),
      clock.now(),
    )
    assert.equal([...found.values()].flat().length, asked.length)
  })

  test(`${database}: does not treat other changes, or those of a device that may no longer register, as refreshes`, async (t) => {
    const { store, clock, accountId, identities, refreshes, again } = await openPhones(t, database, 3)
    const [first, second, third] = identities
    if (!first || !second || !third) assert.fail('there are phones')
    const contact = 'sip:0@10.0.0.1'
    await store.write((tables) => tables.devices.unregister(accountId, second.deviceId))
    const asked = [
      again(first, contact),
      again(first, contact, { port: 5071 }),
      again(first, 'sip:0@10.0.0.1:5061'),
      again(first, 'sip:0@10.0.0.2', { callId: 'after a restart' }),
      again(first, 'sip:0@10.0.0.3', { cseq: 1 }),
      again(second, 'sip:1@10.0.0.1'),
      again({ ...third, passwordSealed: 'an earlier one' }, 'sip:2@10.0.0.1'),
    ].map((refresh) => refreshes.renew(refresh))
    await clock.advance(1_000)
    const renewed = await Promise.all(asked)
    assert.deepEqual(
      renewed.map((bindings) => bindings !== undefined),
      [true, false, false, false, false, false, false],
    )
    assert.equal(renewed[0]?.find((one) => one.contact === contact)?.cseq, 2)
  })
}
