import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openExchange, outsideNumber, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'
import { withCode } from '#test/http/with-code.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { RunningCall } from '../state/calls.ts'

const as = ({ accountId, userId }: Customer, admin = false): UserCaller => ({ accountId, userId, admin }) as UserCaller

interface Talk {
  caller: ScriptedLeg
  phone: ScriptedLeg
  call: RunningCall
}

const talking = async (exchange: Exchange, ada: Customer): Promise<Talk> => {
  const caller = await exchange.callIn(ada.number)
  const { phone } = exchange
  phone.answers()
  await exchange.rest()
  const [call] = exchange.calls.list(as(ada))
  assert.ok(call)
  return { caller, phone, call }
}

test('shows a call to its users only while it is established', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const bob = await exchange.newCustomer()
  const leg = await exchange.callFrom(ada, bob.number)
  const [{ callId } = assert.fail()] = exchange.changes.map(([, facts]) => facts)
  for (const one of [ada, bob]) {
    assert.deepEqual(exchange.calls.list(as(one)), [])
    assert.equal(exchange.calls.get(as(one), callId).established, false)
  }
  exchange.phone.answers()
  await exchange.rest()
  const hers = exchange.calls.getEstablished(as(ada), callId).status()
  const his = exchange.calls.getEstablished(as(bob), callId).status()
  const shown = ({ participants }: typeof hers) => participants.map(({ phoneNumber, owner }) => [phoneNumber, owner])
  assert.deepEqual(shown(hers), [
    [ada.number, true],
    [bob.number, false],
  ])
  assert.deepEqual(shown(his), [
    [ada.number, false],
    [bob.number, true],
  ])
  const eve = await exchange.newCustomer()
  assert.throws(() => exchange.calls.get(as(eve, true), callId), { code: 'call_not_found' })
  leg.hangsUp()
  await exchange.rest()
  assert.throws(() => exchange.calls.get(as(ada, true), callId), { code: 'call_not_found' })
})

test('shows a call on a user’s line to its owner and to the colleague who answered it', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const [colleague, third] = await exchange.store.write(async (tables) => {
    const user = await exchange.addUser(tables, ada.accountId)
    const device = await exchange.addDevice(tables, ada.accountId, user)
    await tables.phonelines.addDevice(ada.accountId, ada.line, device)
    await tables.phonelines.removeDevice(ada.accountId, ada.line, ada.deviceId)
    return [
      { ...ada, userId: user },
      { ...ada, userId: await exchange.addUser(tables, ada.accountId) },
    ] as const
  })
  await exchange.callIn(ada.number)
  exchange.phone.answers()
  await exchange.rest()
  const seen = [as(ada), as(colleague), as(third), as(third, true)].map((user) => exchange.calls.list(user).length)
  assert.deepEqual(seen, [1, 1, 0, 1])
})

test('hold: completes when all phones have agreed, and is idempotent', async (t) => {
  const exchange = await openExchange(t)
  const { caller, phone, call } = await talking(exchange, await exchange.newCustomer())
  await Promise.all([call.hold(true), call.hold(true)])
  assert.equal(call.status().hold, true)
  for (const leg of [caller, phone])
    assert.deepEqual(
      leg.log.filter((what) => what.startsWith('hold')),
      ['hold true'],
    )
  await call.hold(false)
  assert.equal(call.status().hold, false)
})

test('hold: rolls back and names the phone when one phone rejects it', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const { caller, phone, call } = await talking(exchange, ada)
  const holds = (): boolean[] => call.status().participants.map(({ hold }) => hold)
  phone.hold = () => Promise.reject(new Error('488'))
  await assert.rejects(call.hold(true), withCode('conflict', ada.number))
  assert.deepEqual(caller.log.slice(-2), ['hold true', 'hold false'])
  assert.deepEqual(holds(), [false, false])
  caller.hold = () => Promise.reject(new Error('488'))
  phone.hold = () => Promise.resolve()
  await assert.rejects(call.hold(true), withCode('conflict', outsideNumber))
  assert.deepEqual([holds(), call.status().hold], [[false, false], false])
})

test('gives up hold after 8 s when a phone does not respond, and hangs up without waiting for it', async (t) => {
  const exchange = await openExchange(t)
  const { phone, caller, call } = await talking(exchange, await exchange.newCustomer())
  const asked: boolean[] = []
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  phone.hold = (value) => {
    asked.push(value)
    return asked.length === 1 ? answered : Promise.resolve()
  }
  const refused = assert.rejects(call.hold(true), { code: 'conflict' })
  const waiting = call.mute(true)
  await exchange.seconds(7)
  assert.deepEqual([phone.muted, asked], [false, [true]])
  await exchange.seconds(2)
  await refused
  await waiting
  assert.equal(phone.muted, true)
  assert.deepEqual([asked, caller.log.at(-1)], [[true, false], 'hold false'], 'if it agrees later, it is asked to forget it')
  answer()

  phone.hold = () => new Promise(() => {})
  const late = assert.rejects(call.hold(true), { code: 'call_not_in_state' })
  await exchange.rest()
  await call.hangUp()
  await late
})

test('does not run a command that waited too long', async (t) => {
  const exchange = await openExchange(t)
  const { phone, call } = await talking(exchange, await exchange.newCustomer())
  phone.hold = () => new Promise(() => {})
  const commands = [call.hold(true), call.hold(true), call.mute(true)].map((done) => assert.rejects(done, { code: 'conflict' }))
  await exchange.seconds(30)
  await Promise.all(commands)
  assert.equal(phone.muted, false)
  await call.mute(true)
  assert.equal(phone.muted, true)
})

test('keeps hold by a phone and hold by the API independent', async (t) => {
  const exchange = await openExchange(t)
  const { caller, phone, call } = await talking(exchange, await exchange.newCustomer())
  const holds = (): boolean[] => call.status().participants.map(({ hold }) => hold)
  phone.holds(true)
  assert.deepEqual([holds(), call.status().hold, caller.playing.length], [[true, false], false, 1])
  await call.hold(true)
  phone.holds(false)
  assert.deepEqual([holds(), call.status().hold, caller.playing.length], [[true, true], true, 0])
  phone.holds(true)
  await call.hold(false)
  assert.deepEqual([holds(), call.status().hold, caller.playing.length], [[true, false], false, 1])
})

test('mute: silences only the account’s own phone, without signalling', async (t) => {
  const exchange = await openExchange(t)
  const { caller, phone, call } = await talking(exchange, await exchange.newCustomer())
  await call.mute(true)
  assert.deepEqual([caller.hears, phone.hears], [[], [caller]])
  assert.equal(call.status().muted, true)
  await call.mute(false)
  assert.deepEqual(caller.hears, [phone])
})

test('recording: starts and stops within a call, plays the notice, and stores both files in the history', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const { caller, phone, call } = await talking(exchange, ada)
  const bridge = phone.bridge
  await call.record(true, { announcement: true })
  await call.record(true, { announcement: true })
  assert.deepEqual(bridge?.log, ['record'])
  for (const leg of [caller, phone]) assert.equal(leg.log.at(-1), 'announce de/recording-notice')
  assert.deepEqual([...bridge.left.values()], [[phone]])
  assert.equal(call.status().recording, true)
  await call.record(false, { announcement: true })
  assert.equal(call.status().recording, false)
  await call.record(true, { announcement: false })
  caller.hangsUp()
  await exchange.rest()
  const { recordings = [] } = (await exchange.entry(ada)).detail
  assert.equal(recordings.length, 2)
})

test('recording: reports no recording when the file cannot be created', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const { caller, phone, call } = await talking(exchange, ada)
  assert.ok(phone.bridge)
  phone.bridge.cannotRecord = true
  await assert.rejects(call.record(true, { announcement: true }), { code: 'recording_disk_full' })
  assert.equal(call.status().recording, false)
  assert.equal(caller.announcing.length, 0)
  phone.bridge.cannotRecord = false
  await call.record(true, { announcement: false })
  assert.equal(call.status().recording, true)
  caller.hangsUp()
  await exchange.rest()
  assert.equal((await exchange.entry(ada)).detail.recordings?.length, 1)
})

test('recording: keeps the account’s side on the left channel, also after a transfer', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  const { caller, phone, call } = await talking(exchange, ada)
  const { bridge } = phone
  const left = (): unknown => [...(bridge?.left.values() ?? [])].at(-1)
  await call.record(true, { announcement: false })
  const colleague = await exchange.store.write(async (tables) => {
    const user = await exchange.addUser(tables, ada.accountId)
    return exchange.addDevice(tables, ada.accountId, user)
  })
  phone.asksTransfer({ dialled: colleague })
  await exchange.rest()
  const callHandler = exchange.phone
  callHandler.answers()
  await exchange.rest()
  assert.deepEqual([callHandler.hears, left()], [[caller], [callHandler]])
  caller.hangsUp()
  await exchange.rest()

  const inside = await exchange.callFrom(ada, colleague)
  exchange.phone.answers()
  await exchange.rest()
  const [own] = exchange.calls.list(as(ada))
  await own?.record(true, { announcement: false })
  assert.deepEqual([...(inside.bridge?.left.values() ?? [])], [[inside]], 'both are its own: the one who called')
})

test('sends DTMF from the API to all phones, and from a phone to the other side', async (t) => {
  const exchange = await openExchange(t)
  const { caller, phone, call } = await talking(exchange, await exchange.newCustomer())
  await call.sendDtmf('12#')
  caller.presses('5')
  phone.presses('*')
  phone.presses('9', { sounded: true }) // in-band: the caller has already heard the tone
  await exchange.rest()
  assert.deepEqual(caller.log, ['answer', 'dtmf 12#', 'dtmf *'])
  assert.deepEqual(phone.log, ['dtmf 12#', 'dtmf 5'])
})

test('resolves hangUp when both phones are hung up, and rejects later commands', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const { caller, phone, call } = await talking(exchange, ada)
  await call.hangUp()
  assert.deepEqual([caller.log.at(-1), phone.log.at(-1)], ['hangUp normal', 'hangUp normal'])
  assert.equal(exchange.lastEnd?.reason, 'api_hangup')
  await call.hangUp()
  await assert.rejects(call.hold(true), { code: 'call_not_in_state' })
  await exchange.entry(ada)
})

test('ends a call that is still ringing', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  const leg = await exchange.callFrom(ada, outsideNumber)
  const [[, { callId }] = assert.fail()] = exchange.changes
  const ending = exchange.calls.get(as(ada), callId).hangUp()
  await exchange.rest()
  await ending
  assert.deepEqual(leg.log, ['hangUp normal'])
  assert.deepEqual(await exchange.money(ada), { spent: 0, reserved: 0 })
})

test('plays music to the party held by a phone', async (t) => {
  const exchange = await openExchange(t)
  const { caller, phone } = await talking(exchange, await exchange.newCustomer())
  phone.holds(true)
  assert.deepEqual(
    caller.playing.map(({ sound, loop }) => [sound, loop]),
    [[{ music: 'hold' }, true]],
  )
  phone.holds(false)
  assert.deepEqual(caller.playing, [])
})

test('does not start a recording requested while the call ends', async (t) => {
  const exchange = await openExchange(t)
  const { caller, phone, call } = await talking(exchange, await exchange.newCustomer())
  const { bridge } = phone
  const asked = assert.rejects(call.record(true, { announcement: true }), { code: 'call_not_in_state' })
  caller.hangsUp()
  await exchange.rest()
  await asked
  assert.ok(!bridge?.log.includes('record'), bridge?.log.join())
})

test('hides the call from an account without a party that does not pay, and stops its recording', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  const bob = await exchange.newCustomer()
  const forward = (...destinations: string[]): Promise<void> =>
    exchange.store.write((tables) =>
      tables.phonelines.replaceForwardings(
        ada.accountId,
        ada.line,
        destinations.map((destination, index) => ({ destination, timeout: index * 10, active: true })),
      ),
    )
  const seenBy = (one: Customer): number => exchange.calls.list(as(one, true)).length

  const { phone, call } = await talking(exchange, ada)
  await call.record(true, { announcement: false })
  phone.asksTransfer({ dialled: bob.number })
  await exchange.rest()
  exchange.phone.answers()
  await exchange.rest()
  assert.deepEqual([seenBy(ada), seenBy(bob)], [0, 1], 'handed on')
  assert.equal(call.status().recording, false)
  for (const late of [call.hold(true), call.hangUp()]) await assert.rejects(late, { code: 'call_not_found' })
  exchange.telephony.alive[0]?.hangsUp()
  await exchange.rest()
  assert.equal((await exchange.entry(ada)).detail.recordings?.length, 1)

  await forward(bob.number)
  const second = await exchange.callIn(ada.number)
  exchange.phone.answers()
  await exchange.rest()
  assert.deepEqual([seenBy(ada), seenBy(bob)], [0, 1], 'passed on')
  second.hangsUp()

  await forward(bob.number, outsideNumber)
  const third = await exchange.callIn(ada.number)
  await exchange.seconds(10)
  exchange.phone.answers()
  await exchange.rest()
  assert.deepEqual([seenBy(ada), seenBy(bob)], [1, 0], 'who pays can end it, who did not take it cannot')
  third.hangsUp()
})
