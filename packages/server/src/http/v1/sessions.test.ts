import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { issueToken } from '../../core/identity/tokens.ts'
import { openTariff } from '../../core/money/open-tariff.ts'
import { topUp } from '../../core/money/funds.ts'
import type { CallOrder, FaxOrder, Line, SmsOrder } from '../../core/ports/line.ts'
import { databases, startWorld, type Database, type Person, type World } from '../../../../../test/support/world.ts'

const landline = '+4921163554444'
const mobile = '+4915112345678'
const euro = 10_000

/** An account that may call: tariff, money; with a device and a number. */
interface Customer extends Person {
  device: string
  number: string
}

let numbers = 0

const customer = async (world: World, amount = 5 * euro): Promise<Customer> => {
  const person = await world.newAccount()
  const number = `+492115550${String(++numbers).padStart(4, '0')}`
  const device = await world.write(async (tables) => {
    const tariffId = await openTariff(tables, world.clock, { currency: 'EUR' })
    await tables.accounts.update(person.accountId, { tariffId })
    await pay(world, person.accountId, amount, tables)
    await tables.numbers.insert(person.accountId, { id: randomUUID(), e164: number, type: 'LANDLINE', state: 'ACTIVE', createdAt: 0 })
    return register(world, person, tables)
  })
  return { ...person, device, number }
}

type Tables = Parameters<Parameters<World['write']>[0]>[0]

const pay = async (world: World, accountId: string, amount: number, tables: Tables): Promise<void> => {
  if (amount > 0) await topUp(tables, world.clock, { accountId, amount, reason: 'cash', idempotencyKey: randomUUID(), actor: 'test' })
}

const register = (world: World, { accountId, userId }: Person, tables: Tables): Promise<string> =>
  tables.devices.insert(accountId, { owner: userId, alias: 'Desk', type: 'REGISTER', at: world.clock.now() })

/** Stands for the telephone network: takes every order and remembers it. */
class TestLine implements Line {
  readonly calls: CallOrder[] = []
  readonly faxes: FaxOrder[] = []
  readonly messages: SmsOrder[] = []
  async startCall(order: CallOrder): Promise<void> {
    this.calls.push(order)
  }
  async sendFax(order: FaxOrder): Promise<void> {
    this.faxes.push(order)
  }
  async sendSms(order: SmsOrder): Promise<void> {
    this.messages.push(order)
  }
}

const connected = async (t: TestContext, database: Database): Promise<{ world: World; line: TestLine }> => {
  const world = await startWorld(t, { database })
  const line = new TestLine()
  world.running.parts.line = line
  return { world, line }
}

const holds = async (world: World, accountId: string) => {
  const balance = await world.running.parts.store.read.balances.find(accountId)
  return { amount: balance?.amount, reserved: balance?.reserved }
}

const pdf = (pages: number, padding = ''): string => {
  const objects = Array.from({ length: pages }, (_, i) => `${i + 3} 0 obj\n<< /Type /Page /Parent 2 0 R >>\nendobj`)
  return Buffer.from(`%PDF-1.4\n1 0 obj\n<< /Type /Pages /Count ${pages} >>\nendobj\n${objects.join('\n')}\n${padding}\n%%EOF\n`).toString(
    'base64',
  )
}

for (const database of databases) {
  test(`${database}: without phones, carriers and lines every order is checked, refused, and costs nothing`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await customer(world)
    const [faxline] = await world.running.parts.store.read.faxlines.listByOwner(ada.accountId, ada.userId)
    const [sms] = await world.running.parts.store.read.smsLines.list(ada.accountId, ada.userId)
    await routeMobile(world, ada)
    const refused = (order: Promise<unknown>, expected = '503 line_unavailable') =>
      assert.rejects(order, (error: { status: number; body: { code: string; message: string } }) => {
        assert.equal(`${error.status} ${error.body.code}`, expected)
        return true
      })
    await refused(ada.api.startCall({}, { caller: ada.device, callee: ada.number }), '409 caller_not_reachable')
    await refused(ada.api.startCall({}, { caller: landline, callee: ada.number, deviceId: ada.device }))
    await refused(ada.api.sendFax({}, { faxlineId: faxline!.id, recipient: landline, filename: 'a.pdf', base64Content: pdf(2) }))
    await refused(ada.api.sendSms({}, { smsId: sms!.id, recipient: mobile, message: 'Hello' }))
    await refused(ada.api.startCall({}, { caller: ada.device, callee: '112' }), '409 caller_not_reachable')
    assert.deepEqual(await holds(world, ada.accountId), { amount: 5 * euro, reserved: 0 })
    assert.deepEqual(await ada.api.getBalance(), { amount: 5 * euro, currency: 'EUR' })
  })

  test(`${database}: who calls whom, and from what`, async (t) => {
    const { world, line } = await connected(t, database)
    const ada = await customer(world)
    const bob = await world.newUser(ada.accountId)
    const eve = await customer(world)
    const [phoneline] = await world.running.parts.store.read.phonelines.list(ada.accountId, ada.userId)
    const bobs = await world.write((tables) => register(world, bob, tables))
    const external = await world.write((tables) =>
      tables.devices.insert(ada.accountId, { owner: ada.userId, alias: 'Home', type: 'EXTERNAL', number: mobile, at: 0 }),
    )
    await world.write((tables) =>
      tables.numbers.insert(ada.accountId, {
        id: randomUUID(),
        short: '44',
        type: 'QUICKDIAL',
        state: 'ACTIVE',
        endpointId: phoneline!.id,
        createdAt: 0,
      }),
    )
    const spent = async (person: Person, wish: { caller: string; callee: string; deviceId?: string; callerId?: string }) => {
      await world.clock.advance(1000)
      const before = (await holds(world, ada.accountId)).reserved ?? 0
      const { sessionId } = await person.api.startCall({}, wish)
      assert.equal(line.calls.at(-1)?.sessionId, sessionId)
      return ((await holds(world, ada.accountId)).reserved ?? 0) - before
    }
    assert.equal(await spent(ada, { caller: ada.device, callee: landline }), 190)
    assert.deepEqual(line.calls.at(-1)?.callee, { kind: 'number', e164: landline })
    assert.equal(await spent(ada, { caller: phoneline!.id, callee: '0211 63554444' }), 190, 'a national number from a phone line')
    assert.equal(await spent(ada, { caller: bobs, callee: landline }), 190, 'an administrator uses any device')
    assert.equal(await spent(ada, { caller: ada.device, callee: '44*' }), 0)
    assert.deepEqual(line.calls.at(-1)?.callee, { kind: 'extension', id: phoneline!.id })
    assert.equal(await spent(ada, { caller: ada.device, callee: bobs }), 0)
    assert.equal(await spent(ada, { caller: ada.device, callee: ada.number }), 0, 'an own number')
    assert.equal(await spent(ada, { caller: ada.device, callee: eve.number }), 0, 'the number of another account is on the same net')
    assert.equal(await spent(ada, { caller: external, callee: landline }), 990 + 190, 'both legs leave the account')
    assert.equal(await spent(ada, { caller: ada.device, callee: external }), 990)
    assert.equal(await spent(ada, { caller: mobile, callee: landline, deviceId: ada.device }), 990 + 190)
    assert.equal(await spent(ada, { caller: ada.device, callee: landline, callerId: ada.number.replace('+49', '0') }), 190)
    assert.equal(line.calls.at(-1)?.callerId, ada.number)
    assert.equal(await spent(bob, { caller: bobs, callee: '0800 1234567' }), 0)

    const { length } = line.calls
    const code = (person: Person, wish: { caller: string; callee: string; deviceId?: string; callerId?: string }) =>
      person.api.startCall({}, wish).then(
        () => 'accepted',
        (error: { status: number; body: { code: string } }) => `${error.status} ${error.body.code}`,
      )
    assert.equal(await code(ada, { caller: ada.device, callee: 'nobody' }), '400 callee_invalid')
    assert.equal(await code(ada, { caller: ada.device, callee: '+49211' }), '400 callee_invalid')
    assert.equal(await code(ada, { caller: ada.device, callee: '77' }), '400 callee_invalid')
    assert.equal(await code(ada, { caller: ada.device, callee: 'e99' }), '400 callee_invalid')
    assert.equal(await code(ada, { caller: ada.device, callee: ada.device }), '400 callee_invalid', 'nobody calls himself')
    assert.equal(await code(ada, { caller: mobile, callee: mobile, deviceId: ada.device }), '400 callee_invalid')
    assert.equal(await code(ada, { caller: ada.device, callee: 'f0' }), '400 callee_invalid')
    assert.equal(await code(ada, { caller: 'e99', callee: landline }), '400 caller_invalid')
    assert.equal(await code(ada, { caller: 'p99', callee: landline }), '400 caller_invalid')
    assert.equal(await code(ada, { caller: 'me', callee: landline }), '400 caller_invalid')
    assert.equal(await code(ada, { caller: mobile, callee: landline }), '400 device_id_missing')
    assert.equal(
      await code(ada, { caller: mobile, callee: 'nobody', deviceId: 'e99' }),
      '400 callee_invalid',
      'what is wrong comes before what is missing',
    )
    assert.equal(await code(ada, { caller: mobile, callee: landline, deviceId: 'e99' }), '404 device_not_found')
    assert.equal(await code(bob, { caller: ada.device, callee: landline }), '403 call_not_allowed')
    assert.equal(await code(bob, { caller: phoneline!.id, callee: landline }), '403 call_not_allowed')
    assert.equal(await code(bob, { caller: mobile, callee: landline, deviceId: ada.device }), '403 call_not_allowed')
    assert.equal(await code(ada, { caller: ada.device, callee: landline, callerId: 'x' }), '400 number_invalid')
    assert.equal(await code(ada, { caller: ada.device, callee: landline, callerId: eve.number }), '403 caller_id_not_owned')
    assert.equal(await code(ada, { caller: ada.device, callee: '0900 1234567' }), '403 destination_blocked')
    assert.equal(await code(ada, { caller: '+499001234567', callee: landline, deviceId: ada.device }), '403 destination_blocked')
    assert.equal(await code(ada, { caller: ada.device, callee: '+88213300000' }), '403 destination_blocked')
    assert.equal(line.calls.length, length, 'the line was never asked')
    assert.deepEqual(line.calls[0]?.paidLegs, ['callee'])
    assert.deepEqual(line.calls.find(({ caller }) => caller.kind === 'number')?.paidLegs, ['caller', 'callee'])
  })

  test(`${database}: what money and emergencies mean for a call`, async (t) => {
    const { world, line } = await connected(t, database)
    const poor = await customer(world, 189)
    await assert.rejects(poor.api.startCall({}, { caller: poor.device, callee: landline }), { status: 402 })
    assert.deepEqual(await holds(world, poor.accountId), { amount: 189, reserved: 0 })
    await world.write((tables) => pay(world, poor.accountId, 1, tables))
    const bothLegs = { caller: landline, callee: '+4921163554445', deviceId: poor.device }
    await assert.rejects(poor.api.startCall({}, bothLegs), { status: 402 }, 'enough for one of two')
    await poor.api.startCall({}, { caller: poor.device, callee: landline })
    assert.deepEqual(await poor.api.getBalance(), { amount: 0, currency: 'EUR' })
    await assert.rejects(poor.api.startCall({}, { caller: poor.device, callee: landline }), { status: 402 })

    const broke = await customer(world, 0)
    await broke.api.startCall({}, { caller: broke.device, callee: '110' })
    await broke.api.startCall({}, { caller: broke.device, callee: '+49112' })
    assert.deepEqual(line.calls.at(-1)?.callee, { kind: 'emergency', dialled: '+49112' })
    await broke.api.startCall({}, { caller: broke.device, callee: '112', callerId: 'not a number' })
    assert.equal(line.calls.at(-1)?.callerId, undefined, 'what the rescue services see is not chosen')
    await world.clock.advance(1000)
    await broke.api.startCall({}, { caller: broke.device, callee: poor.number })
    await broke.api.startCall({}, { caller: broke.device, callee: broke.number })
    const disguise = { caller: mobile, callee: '112', deviceId: broke.device }
    await assert.rejects(broke.api.startCall({}, disguise), { status: 403 }, 'no free call to another number in the name of an emergency')
  })

  test(`${database}: a fax is checked page by page before it costs anything`, async (t) => {
    const { world, line } = await connected(t, database)
    const ada = await customer(world)
    const bob = await world.newUser(ada.accountId)
    const eve = await customer(world)
    const lineOf = async (person: Person) =>
      (await world.running.parts.store.read.faxlines.listByOwner(person.accountId, person.userId))[0]!.id
    const fax = { faxlineId: await lineOf(ada), recipient: landline, filename: 'letter.pdf', base64Content: pdf(2) }
    const { sessionId } = await ada.api.sendFax({}, fax)
    assert.equal((await holds(world, ada.accountId)).reserved, 3 * 190, 'two pages are estimated at 150 seconds')
    assert.deepEqual(line.faxes[0]?.document, { filename: 'letter.pdf', pdf: Buffer.from(fax.base64Content, 'base64') })
    assert.equal(line.faxes[0]?.sessionId, sessionId)
    await ada.api.sendFax({}, { ...fax, filename: '..\\secret/\u202eevil\u0007.PDF' })
    assert.deepEqual(line.faxes[1]?.document, { filename: 'evil.PDF', pdf: Buffer.from(fax.base64Content, 'base64') })
    await ada.api.sendFax({}, { ...fax, faxlineId: await lineOf(bob) })

    const refused = async (person: Person, change: Partial<typeof fax>, status: number, message?: RegExp) =>
      assert.rejects(person.api.sendFax({}, { ...fax, ...change }), (error: { status: number; message: string }) => {
        assert.equal(error.status, status, error.message)
        if (message) assert.match(error.message, message)
        return true
      })
    await refused(ada, { recipient: '112' }, 400, /recipient/)
    await refused(ada, { recipient: 'e0' }, 400, /recipient/)
    await refused(ada, { filename: 'letter.docx' }, 400, /filename/)
    await refused(ada, { filename: '.pdf' }, 400, /filename/)
    await refused(ada, { filename: `${'a'.repeat(252)}.pdf` }, 400, /filename/)
    await refused(ada, { base64Content: `${fax.base64Content}\n` }, 400, /Base64/)
    await refused(ada, { base64Content: 'not base64' }, 400, /Base64/)
    await refused(ada, { base64Content: Buffer.from('hello').toString('base64') }, 400, /PDF/)
    await refused(ada, { base64Content: pdf(201) }, 400, /200 pages/)
    await refused(ada, { faxlineId: 'f99' }, 404)
    await refused(bob, {}, 403)
    await refused(eve, { faxlineId: await lineOf(bob) }, 404)
    await refused(ada, { recipient: '0900 1234567' }, 403)
    await refused(ada, { base64Content: pdf(200), recipient: '+33142685300' }, 402)
    const largest = pdf(1, 'x'.repeat(10 * 1024 * 1024 - 200))
    assert.ok(largest.length > 13_980_000)
    await ada.api.sendFax({}, { ...fax, base64Content: largest })
    await refused(ada, { base64Content: pdf(1, 'x'.repeat(10 * 1024 * 1024)) }, 413)
    await refused(ada, { base64Content: pdf(1, 'x'.repeat(11 * 1024 * 1024)) }, 413)
    assert.equal(line.faxes.length, 4)
  })

  test(`${database}: a fax that was sent can be sent again while its document is there`, async (t) => {
    const { world, line } = await connected(t, database)
    const ada = await customer(world)
    const bob = await world.newUser(ada.accountId)
    const faxlines = world.running.parts.store.read.faxlines
    const [adas] = await faxlines.listByOwner(ada.accountId, ada.userId)
    const [bobs] = await faxlines.listByOwner(ada.accountId, bob.userId)
    const record = (change: object) =>
      world.write(async (tables) => {
        const id = randomUUID()
        await tables.history.insert(ada.accountId, {
          id,
          userId: ada.userId,
          sessionId: randomUUID(),
          type: 'FAX',
          direction: 'OUTGOING',
          source: ada.number,
          target: landline,
          sourceAlias: '',
          targetAlias: '',
          status: 'PICKUP',
          connectionIds: [adas!.id],
          endpoints: [],
          createdAt: 1,
          modifiedAt: 1,
          read: true,
          archived: false,
          starred: false,
          note: '',
          labels: [],
          detail: { documentUrl: '/f', pageCount: 4 },
          ...change,
        })
        return id
      })
    const sent = await record({})
    await ada.api.resendFax({}, { faxId: sent, faxlineId: adas!.id })
    assert.deepEqual(line.faxes[0]?.document, { resendOf: sent })
    assert.equal((await holds(world, ada.accountId)).reserved, 5 * 190)
    const resend = (person: Person, faxId: string, faxlineId: string) => person.api.resendFax({}, { faxId, faxlineId })
    await assert.rejects(resend(ada, 'unknown', adas!.id), { status: 404 })
    await assert.rejects(resend(ada, sent, 'f99'), { status: 404 })
    await assert.rejects(resend(bob, sent, bobs!.id), { status: 403 })
    await assert.rejects(resend(bob, sent, adas!.id), { status: 403 })
    await assert.rejects(resend(await customer(world), sent, adas!.id), { status: 404 })
    await assert.rejects(resend(ada, await record({ type: 'CALL' }), adas!.id), { status: 404 })
    await assert.rejects(resend(ada, await record({ direction: 'INCOMING' }), adas!.id), { status: 409 })
    await assert.rejects(resend(ada, await record({ detail: {} }), adas!.id), { status: 409 })
  })

  test(`${database}: a message is paid by its segments and needs a sender of one's own`, async (t) => {
    const { world, line } = await connected(t, database)
    const ada = await customer(world)
    const bob = await world.newUser(ada.accountId)
    const smsOf = async (person: Person) => (await world.running.parts.store.read.smsLines.list(person.accountId, person.userId))[0]!.id
    const sms = { smsId: await smsOf(ada), recipient: mobile, message: 'Hello' }
    await assert.rejects(ada.api.sendSms({}, sms), { status: 403 }, 'no sender yet')
    const own = await routeMobile(world, ada)
    await ada.api.sendSms({}, sms)
    assert.equal((await holds(world, ada.accountId)).reserved, 790)
    assert.equal(line.messages[0]?.sender, own)
    await ada.api.sendSms({}, { ...sms, message: '€'.repeat(81) })
    assert.equal((await holds(world, ada.accountId)).reserved, 3 * 790, '81 euro signs are two segments')
    await ada.api.sendSms({}, { ...sms, recipient: own })
    assert.equal((await holds(world, ada.accountId)).reserved, 3 * 790, 'to an own number it is free')
    const now = world.clock.now() / 1000
    const month = 30 * 24 * 60 * 60
    await ada.api.sendSms({}, { ...sms, sendAt: now + month })
    assert.equal(line.messages.at(-1)?.sendAt, (now + month) * 1000)
    await assert.rejects(ada.api.sendSms({}, { ...sms, sendAt: now + month + 1 }), { status: 400 })
    await assert.rejects(ada.api.sendSms({}, { ...sms, sendAt: now - 61 }), { status: 400 })
    await assert.rejects(ada.api.sendSms({}, { ...sms, message: '' }), { status: 400 })
    await ada.api.sendSms({}, { ...sms, message: 'x'.repeat(1530) })
    await assert.rejects(ada.api.sendSms({}, { ...sms, message: 'x'.repeat(1531) }), { status: 400 })
    await assert.rejects(ada.api.sendSms({}, { ...sms, recipient: '110' }), { status: 400 })
    await assert.rejects(ada.api.sendSms({}, { ...sms, smsId: 's99' }), { status: 404 })
    await assert.rejects(bob.api.sendSms({}, sms), { status: 403 })
    await assert.rejects((await customer(world)).api.sendSms({}, { ...sms, smsId: 's9' }), { status: 404 })
    await world.write((tables) => tables.accounts.cancelFeature(ada.accountId, 'SMS'))
    await assert.rejects(ada.api.sendSms({}, sms), { status: 403 })
  })

  test(`${database}: an order with an Idempotency-Key is carried out once`, async (t) => {
    const { world, line } = await connected(t, database)
    const ada = await customer(world)
    const wish = { caller: ada.device, callee: landline }
    const first = await ada.api.startCall({}, wish, { idempotencyKey: 'k1' })
    const again = await ada.api.startCall({}, wish, { idempotencyKey: 'k1' })
    assert.deepEqual(again, first)
    assert.equal(line.calls.length, 1)
    assert.equal((await holds(world, ada.accountId)).reserved, 190)
    await assert.rejects(ada.api.startCall({}, { ...wish, callee: mobile }, { idempotencyKey: 'k1' }), { status: 422 })
    const other = await ada.api.startCall({}, wish, { idempotencyKey: 'k2' })
    await assert.rejects(ada.api.startCall({}, wish, { idempotencyKey: 'k3' }), { status: 429 }, 'two per second')
    assert.notEqual(other.sessionId, first.sessionId)
    await world.clock.advance(24 * 60 * 60 * 1000 - 1)
    assert.deepEqual(await ada.api.startCall({}, wish, { idempotencyKey: 'k1' }), first)
    await world.clock.advance(1)
    const fresh = await ada.api.startCall({}, wish, { idempotencyKey: 'k1' })
    assert.notEqual(fresh.sessionId, first.sessionId, 'after a day the key is free')
    assert.equal(line.calls.length, 3)

    const [arrived, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    line.startCall = () => (arrived.resolve(), goOn.promise)
    await world.clock.advance(1000)
    const running = ada.api.startCall({}, wish, { idempotencyKey: 'k4' })
    await arrived.promise
    await assert.rejects(ada.api.startCall({}, wish, { idempotencyKey: 'k4' }), { status: 409 })
    goOn.resolve()
    await running
  })

  test(`${database}: who may not start calls at all`, async (t) => {
    const { world, line } = await connected(t, database)
    const ada = await customer(world)
    const token = await world.write((tables) =>
      issueToken(tables, world.clock, { kind: 'session', holder: ada, subject: ada.userId, scopes: ['devices:read'] }),
    )
    const refused = (client: ReturnType<World['client']>, status: number) =>
      assert.rejects(client.startCall({}, { caller: ada.device, callee: landline }), { status })
    await refused(world.client(), 401)
    await refused(world.client(token), 403)
    assert.deepEqual(line.calls, [])
  })

  test(`${database}: money of a session that nobody ends comes back by itself`, async (t) => {
    const { world } = await connected(t, database)
    const ada = await customer(world)
    await ada.api.startCall({}, { caller: ada.device, callee: landline })
    assert.equal((await holds(world, ada.accountId)).reserved, 190)
    await world.clock.advance(4 * 60_000)
    assert.equal((await holds(world, ada.accountId)).reserved, 190)
    await world.clock.advance(2 * 60_000)
    assert.deepEqual(await holds(world, ada.accountId), { amount: 5 * euro, reserved: 0 })
  })
}

/** Gives the user a mobile number and tells which. */
const routeMobile = async (world: World, person: Person): Promise<string> => {
  const [phoneline] = await world.running.parts.store.read.phonelines.list(person.accountId, person.userId)
  const e164 = `+49157900${String(++numbers).padStart(5, '0')}`
  await world.write((tables) =>
    tables.numbers.insert(person.accountId, {
      id: randomUUID(),
      e164,
      type: 'MOBILE',
      state: 'ACTIVE',
      endpointId: phoneline!.id,
      createdAt: 0,
    }),
  )
  return e164
}
