import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { Client } from '@offhook/sdk'
import { startWorld, type Database, type Person, type World } from '#test/world/world.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'

const dayMs = 24 * 60 * 60 * 1000
const number = '+4921163550000'
const place = { street: 'Marktplatz', number: '2', postcode: '40213', city: 'Düsseldorf' }

/** One of two real installations that are connected. */
interface Side {
  world: World
  code: string
  operator: Client
  admin: Person
}

interface Pair {
  clock: VirtualClock
  west: Side
  east: Side
  /** Resolves when all messages between the two and their answers are processed. */
  settle: () => Promise<void>
}

const startPair = async (t: TestContext, databases: [Database, Database]): Promise<Pair> => {
  const worlds: World[] = []
  const settle = async (): Promise<void> => {
    // Each answer wakes the other side before its request counts as delivered, so a few rounds reach the end of an exchange.
    for (let round = 0; round < 8; round++) for (const { running } of worlds) await running.idle()
  }
  const clock = new VirtualClock(undefined, settle)
  const open = async (code: string, database: Database, company: string): Promise<Side> => {
    const settings = { OFFHOOK_CARRIER_CODE: code, OFFHOOK_EGRESS_ALLOW: '127.0.0.1' }
    const world = await startWorld(t, { database, settings, replaced: { clock } })
    worlds.push(world)
    return { world, code, operator: await world.operator(), admin: await world.newAccount(company) }
  }
  const west = await open('WEST', databases[0], 'Western Bakery')
  const east = await open('EAST', databases[1], 'Eastern Dairy')
  const { secret = '' } = await west.operator.createCarrier({}, { code: 'EAST', name: 'East', url: east.world.url })
  await east.operator.createCarrier({}, { code: 'WEST', name: 'West', url: `${west.world.url}/`, secret })
  return { clock, west, east, settle }
}

/** The holder opens the last mail and presses the button; opening the page first, as mail scanners do, must not count. */
const consent = async ({ world }: Side): Promise<Response> => {
  const folder = join(world.data, 'mail')
  const last = (await readdir(folder)).toSorted().at(-1) ?? ''
  const link = /http\S+\/carrier\/v1\/optin\/\S+/.exec(await readFile(join(folder, last), 'utf8'))?.[0] ?? ''
  for (let scan = 0; scan < 2; scan++) {
    const page = await fetch(link)
    assert.equal(page.status, 200)
    const text = await page.text()
    assert.ok(text.includes(number) && text.includes('<form method="post">') && !text.includes('<script'))
  }
  const pressed = await fetch(link, { method: 'POST' })
  const again = await fetch(link, { method: 'POST' })
  assert.equal(again.status, 404, 'a link works once')
  await again.body?.cancel()
  return pressed
}

const states = async ({ admin }: Side): Promise<string[]> =>
  (await admin.api.listNumbers()).items.filter((one) => one.number === number).map(({ state }) => state)

/** Invariant for callers: the number rings at exactly one carrier. */
const assertOneOwner = async ({ west, east }: Pair, owner: Side): Promise<void> => {
  const everywhere = [...(await states(west)), ...(await states(east))]
  assert.equal(everywhere.filter((state) => state === 'ACTIVE').length, 1, everywhere.join(' '))
  assert.ok((await states(owner)).includes('ACTIVE'))
}

const read = (side: Side, portingId: number) => side.operator.readPorting({ portingId: String(portingId) })

const port = async (pair: Pair, to: Side, from: Side, holderName: string): Promise<number> => {
  const holder = { name: holderName, ...place, country: 'DE' }
  const started = await to.admin.api.startPorting({}, { numbers: [number], holder, carrier: from.code, email: 'holder@example.com' })
  assert.equal(started.status, 160)
  await pair.settle()
  return started.id
}

/** Runs from the agreement to the end and checks every step. */
const complete = async (pair: Pair, to: Side, from: Side, id: number): Promise<void> => {
  const { portDate } = await read(to, id)
  const left = () => Date.parse(portDate) - pair.clock.now()
  await pair.clock.jump(left() - 2 * dayMs)
  assert.equal((await read(to, id)).status, 400)
  await pair.clock.jump(left() - dayMs)
  assert.equal((await read(to, id)).status, 450)
  await assert.rejects(to.admin.api.revokePorting({ portingId: String(id) }), { status: 409, name: 'CONFLICT' })
  await assertOneOwner(pair, from)
  await pair.clock.jump(left() - 1)
  assert.equal((await read(to, id)).status, 450, 'not a millisecond too early')
  await assertOneOwner(pair, from)
  await pair.clock.advance(1)
  assert.equal((await read(to, id)).status, 500)
  assert.deepEqual((await states(from)).at(-1), 'PORTED_OUT')
  await assertOneOwner(pair, to)
}

test('ports a number from one installation to another and back', async (t) => {
  const pair = await startPair(t, ['sqlite', 'postgres'])
  const { west, east, clock, settle } = pair
  const address = { accountId: east.admin.accountId, ...place, countrycode: 'DE' }
  const { id: addressId } = await east.operator.createAddress({}, address)
  const given = await east.operator.assignNumber({}, { accountId: east.admin.accountId, number, addressId })
  await east.admin.api.changeNumber({ numberId: given.id }, { endpointId: 'p0' })

  // Rejected because of a wrong holder, corrected, and then the link to the other side is down.
  const first = await port(pair, west, east, 'Somebody Else')
  assert.deepEqual(await states(west), ['PORTING_IN'])
  const [arriving] = (await west.admin.api.listNumbers()).items
  assert.deepEqual([arriving?.portId, arriving?.portState], [first, { status: 160 }])
  await assert.rejects(west.admin.api.changeNumber({ numberId: arriving?.id ?? '' }, { endpointId: 'p0' }), { status: 409 })
  assert.equal((await consent(west)).status, 200)
  await settle()
  const refused = await read(west, first)
  assert.deepEqual([refused.status, refused.reason], [252, '8112 the holder is wrong'])
  await assertOneOwner(pair, east)

  const holder = { name: 'EASTERN dairy', ...place, street: 'Markt-Platz', country: 'DE' }
  const corrected = await west.admin.api.correctPorting({ portingId: String(first) }, { holder })
  assert.equal(corrected.status, 160)
  await settle()
  await west.operator.updateCarrier({ carrierCode: 'EAST' }, { url: 'http://127.0.0.1:9' })
  await consent(west)
  await settle()
  assert.equal((await read(west, first)).status, 251)
  await clock.advance(5_000)
  assert.equal((await read(west, first)).status, 251)
  await west.operator.updateCarrier({ carrierCode: 'EAST' }, { url: east.world.url })
  await clock.advance(60_000)
  const agreed = await read(west, first)
  assert.equal(agreed.status, 400)
  assert.equal(agreed.portDate, '2026-11-20', 'five working days after Sunday, 15 November 2026')
  assert.notEqual(agreed.preAgreementId, refused.preAgreementId)
  assert.deepEqual(agreed.events.map(({ to }) => to).slice(-5), [170, 250, 251, 250, 400])
  const eastern = (await east.operator.listAllPortings({})).items
  assert.deepEqual(
    eastern.map(({ direction, status, portDate }) => [direction, status, portDate]),
    [['OUT', 400, '2026-11-20']],
  )
  assert.deepEqual((await east.admin.api.listPortings()).items, [], 'customers see what comes to them')

  // The date moves only when the other side agrees.
  await west.operator.movePortingDate({ portingId: String(first) }, { portDate: '2026-11-22' })
  await settle()
  const kept = await read(west, first)
  assert.deepEqual([kept.portDate, kept.reason], ['2026-11-20', '8141 move of the date refused'], 'a Sunday')
  await west.operator.movePortingDate({ portingId: String(first) }, { portDate: '2026-11-25' })
  await settle()
  assert.equal((await read(west, first)).portDate, '2026-11-25')
  assert.equal((await east.operator.listAllPortings({})).items[0]?.portDate, '2026-11-25')

  // Revoked: binding until the other side confirms.
  await west.operator.updateCarrier({ carrierCode: 'EAST' }, { url: 'http://127.0.0.1:9' })
  const waiting = await west.admin.api.revokePorting({ portingId: String(first) })
  assert.equal(waiting.items[0]?.status, 400)
  await settle()
  assert.deepEqual([(await read(west, first)).status, (await read(west, first)).cancelRequested], [400, true])
  await west.operator.updateCarrier({ carrierCode: 'EAST' }, { url: east.world.url })
  await clock.advance(5_000)
  assert.equal((await read(west, first)).status, 600)
  assert.equal((await east.operator.listAllPortings({})).items[0]?.status, 600)
  assert.deepEqual(await states(west), [], 'a number that never came is not there')
  await assertOneOwner(pair, east)
  await clock.jump(20 * dayMs)
  await assertOneOwner(pair, east)

  // A complete porting, and back again.
  const second = await port(pair, west, east, 'Eastern Dairy')
  await consent(west)
  await settle()
  await complete(pair, west, east, second)
  const [mine] = (await west.admin.api.listNumbers()).items
  await west.admin.api.changeNumber({ numberId: mine?.id ?? '' }, { endpointId: 'p0' })
  const notified = (await west.world.running.deps.store.read.appEvents.list(west.admin.accountId)).map(({ payload }) => payload.status)
  assert.deepEqual(notified, ['252', '400', '600', '400', '500'])

  const home = await port(pair, east, west, 'Western Bakery')
  await consent(east)
  await settle()
  await complete(pair, east, west, home)
  assert.deepEqual(await states(west), ['PORTED_OUT'])
  assert.deepEqual(await states(east), ['ACTIVE'], 'nothing says any more that it is elsewhere')
})
