import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anonymousCaller, openExchange, outsideNumber } from '#test/routing/scripted-exchange.ts'
import { bothDatabases } from '#test/store/databases.ts'

for (const database of bothDatabases) {
  test(`${database}: rings the phone of the line for its number, connects, and writes the history once`, async (t) => {
    const exchange = await openExchange(t, { database })
    const ada = await exchange.newCustomer()
    const caller = await exchange.callIn(ada.number)
    const { phone } = exchange
    assert.deepEqual(phone.target, { kind: 'device', accountId: ada.accountId, deviceId: ada.deviceId })
    assert.deepEqual(phone.dial?.caller, { number: outsideNumber, name: '', withheld: false })
    assert.deepEqual(caller.log, [])
    phone.rings()
    phone.rings()
    assert.deepEqual(caller.log, ['ring'])

    await exchange.seconds(5)
    phone.answers()
    await exchange.rest()
    assert.ok(caller.answered)
    assert.deepEqual(caller.hears, [phone])
    assert.deepEqual(phone.hears, [caller])

    await exchange.seconds(42)
    caller.hangsUp()
    await exchange.rest()
    assert.deepEqual(phone.log, ['hangUp normal'])
    assert.deepEqual(exchange.lastEnd, { by: 'caller', reason: 'caller_hangup', cause: 'normal' })
    const { id: _id, sessionId, ...entry } = await exchange.entry(ada)
    assert.equal(sessionId, exchange.changes[0]?.[1].callId)
    assert.deepEqual(entry, {
      userId: ada.userId,
      type: 'CALL',
      direction: 'INCOMING',
      source: outsideNumber,
      target: ada.number,
      sourceAlias: '',
      targetAlias: 'Ada Lovelace',
      status: 'PICKUP',
      connectionIds: [ada.line, ada.deviceId],
      endpoints: [
        { type: 'ROUTED', extension: ada.line, kind: 'PHONELINE' },
        { type: 'PICKUP', extension: ada.deviceId, kind: 'REGISTER' },
      ],
      detail: { duration: 42, callStatus: 'SUCCESS' },
      createdAt: exchange.clock.now() - 47_000,
      modifiedAt: exchange.clock.now(),
      read: false,
      archived: false,
      starred: false,
      note: '',
      labels: [],
    })
    assert.deepEqual(
      exchange.changes.map(([what]) => what),
      ['started', 'ringing', 'answered', 'ended'],
    )
    assert.deepEqual(await exchange.money(ada), { spent: 0, reserved: 0 })
  })
}

test('reads numbers in carrier formats, and rejects those not in service here', async (t) => {
  const exchange = await openExchange(t)
  const { number } = await exchange.newCustomer()
  for (const written of [number, number.slice(1), number.replace('+49', '0'), number.replace('+', '00')]) {
    const caller = await exchange.callIn(written)
    assert.equal(exchange.ringing.length, 1, written)
    caller.hangsUp()
    await exchange.rest()
    assert.equal(exchange.ringing.length, 0)
  }
  for (const unknown of ['+4921155599999', '112', 'p0', 'anonymous', '', '+', '0'.repeat(60), "'; drop table"]) {
    const caller = await exchange.callIn(unknown)
    assert.deepEqual(caller.log, ['hangUp not_found'], unknown)
  }
  assert.equal(exchange.lastEnd?.reason, 'failed')
})

test('stops ringing and records a missed call when the caller hangs up', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const caller = await exchange.callIn(ada.number, { caller: anonymousCaller })
  const { phone } = exchange
  assert.deepEqual(phone.dial?.caller, { number: undefined, name: '', withheld: true })
  phone.rings()
  caller.hangsUp()
  await exchange.rest()
  assert.deepEqual(phone.log, ['hangUp normal'])
  const { direction, status, detail, source } = await exchange.entry(ada)
  assert.deepEqual(
    { direction, status, detail, source },
    {
      direction: 'MISSED_INCOMING',
      status: 'NOPICKUP',
      detail: { duration: 0, callStatus: 'MISSED' },
      source: 'anonymous',
    },
  )
})

test('rings all phones of a line and connects the first to answer, even if two answer concurrently', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const second = await exchange.store.write((tables) => exchange.addDevice(tables, ada.accountId, ada.userId))
  exchange.telephony.register(ada.accountId, second, 2)
  const caller = await exchange.callIn(ada.number)
  const [desk, softphone, browser] = exchange.ringing
  assert.ok(desk && softphone && browser)
  desk.refuses('busy', 486)
  await exchange.rest()
  assert.equal(caller.over, undefined, 'others still ring')
  softphone.answers()
  browser.answers()
  await exchange.rest()
  assert.deepEqual(caller.hears, [softphone])
  assert.deepEqual(browser.log, ['hangUp answered_elsewhere'])
  softphone.hangsUp()
  await exchange.rest()
  assert.deepEqual(caller.log, ['answer', 'hangUp normal'])
  assert.equal(exchange.lastEnd?.reason, 'callee_hangup')
  assert.deepEqual((await exchange.entry(ada)).connectionIds, [ada.line, second])
})

test('relays early media, and plays ringback when the next target rings', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  await exchange.store.write(async (tables) => {
    const forwardings = [
      { destination: outsideNumber, timeout: 0, active: true },
      { destination: '+4915112345678', timeout: 20, active: true },
    ]
    await tables.phonelines.replaceForwardings(ada.accountId, ada.line, forwardings)
  })
  const caller = await exchange.callIn(ada.number)
  const first = exchange.phone
  first.sendsEarlyAudio()
  await exchange.rest()
  assert.deepEqual(caller.log, ['openEarly'])
  assert.deepEqual(caller.hears, [first])
  first.rings()
  assert.deepEqual(caller.log, ['openEarly'], 'no tone over what is heard')
  first.refuses('busy', 486)
  await exchange.rest()
  exchange.phone.rings()
  assert.deepEqual(caller.log, ['openEarly', 'play ringback'])
  exchange.phone.answers()
  await exchange.rest()
  assert.deepEqual(caller.playing, [], 'the tone is over')
  assert.equal(caller.hears.length, 1)
})

test('hangs up a phone reached after another one has answered, with the same cause', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const slow = await exchange.store.write((tables) => exchange.addDevice(tables, ada.accountId, ada.userId))
  const { promise: later, resolve } = Promise.withResolvers<void>()
  const dial = exchange.telephony.dial.bind(exchange.telephony)
  exchange.telephony.dial = async (target, how) => {
    if (target.kind === 'device' && target.deviceId === slow) await later
    return dial(target, how)
  }
  await exchange.callIn(ada.number)
  exchange.phone.answers()
  await exchange.rest()
  resolve()
  await exchange.rest()
  assert.deepEqual(exchange.telephony.called.at(-1)?.log, ['hangUp answered_elsewhere'])
})
