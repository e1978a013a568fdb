import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openExchange, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'
import { talkOf, transferring, withoutVoicemail, type Talk } from '#test/routing/transfers.ts'

const mobile = '+4915112345678'

const sounds = (leg: ScriptedLeg): unknown[] => leg.playing.map(({ sound }) => sound)

interface Inside extends Talk {
  ada: Customer
  /** Owns neither phone: the called one leaves. */
  asking: Customer
}

/** Two phones of Ada talk, and the calling one supports REFER. */
const inside = async (exchange: Exchange): Promise<Inside> => {
  const ada = await exchange.newCustomer()
  const deviceId = await exchange.store.write((tables) => exchange.addDevice(tables, ada.accountId, ada.userId))
  const caller = await exchange.callFrom(ada, deviceId)
  const { phone } = exchange
  phone.answers()
  caller.refers = true
  await exchange.rest()
  return { ...talkOf(exchange, ada, caller, phone), ada, asking: { ...ada, userId: 'w99' } }
}

test('refers a capable phone of the account to the target, and bridges when it rejects', async (t) => {
  const exchange = await openExchange(t, { transferBy: 'refer' })
  await exchange.addTrunk()
  const first = await inside(exchange)
  const asked = transferring(exchange, first.asking, first.callId, { phoneNumber: mobile })
  await exchange.rest()
  assert.deepEqual([first.caller.log.at(-1), exchange.ringing, asked.state], [`refer ${mobile}`, [], 'pending'])
  first.caller.referral?.ringing()
  await exchange.rest()
  assert.deepEqual([asked.state, sounds(first.phone)], ['done', [{ music: 'hold' }]])
  first.caller.referral?.resolve()
  await exchange.rest()
  assert.equal(exchange.lastEnd?.reason, 'transferred')
  assert.ok(first.phone.over)

  const second = await inside(exchange)
  const other = transferring(exchange, second.asking, second.callId, { phoneNumber: mobile })
  await exchange.rest()
  second.caller.referral?.reject(new Error('603'))
  await exchange.rest()
  exchange.phone.answers()
  await exchange.rest()
  assert.equal(other.state, 'done')
  assert.equal(second.caller.hears.length, 1)
})

test('does not refer phones of other accounts, with a withheld number or in a recorded call', async (t) => {
  const exchange = await openExchange(t, { transferBy: 'refer' })
  await exchange.addTrunk()
  const [ada, bob, eve] = [await exchange.newCustomer(), await exchange.newCustomer(), await exchange.newCustomer()]
  const deviceId = await exchange.store.write((tables) => exchange.addDevice(tables, ada.accountId, ada.userId))
  const withheld = { caller: { number: undefined, name: '', withheld: true } }
  const calls: [string, () => Promise<ScriptedLeg>][] = [
    ['a carrier', () => exchange.callIn(ada.number)],
    ['another account', () => exchange.callFrom(eve, ada.number)],
    ['anonymous', () => exchange.callFrom(ada, deviceId, withheld)],
    ['recorded', () => exchange.callFrom(ada, deviceId)],
  ]
  for (const [what, dial] of calls) {
    const caller = await dial()
    const [phone] = exchange.ringing
    phone?.answers()
    caller.refers = true
    await exchange.rest()
    const { callId, call } = talkOf(exchange, ada, caller, phone ?? assert.fail())
    if (what === 'recorded') await call.record(true, { announcement: false })
    transferring(exchange, { ...ada, userId: 'w99' }, callId, { phoneNumber: bob.number })
    await exchange.rest()
    assert.ok(!caller.log.some((done) => done.startsWith('refer')), what)
    assert.equal(exchange.ringing.at(-1)?.target?.kind, 'device')
    exchange.phone.answers()
    await exchange.rest()
    caller.hangsUp()
    await exchange.rest()
  }
})

test('reconnects the two or ends the call after any failure of a referral', async (t) => {
  const exchange = await openExchange(t, { transferBy: 'refer' })
  const bob = await exchange.newCustomer()
  await withoutVoicemail(exchange, bob)
  const fails = (leg: ScriptedLeg): void => leg.referral?.reject(new Error('486'))
  const events: [string, (talk: Talk) => void, number, string][] = [
    ['rang, then busy', ({ caller }) => (caller.referral?.ringing(), fails(caller)), 0, 'talk'],
    ['nothing is heard of it', () => {}, 30, 'talk'],
    ['rings for ever', ({ caller }) => caller.referral?.ringing(), 30, 'talk'],
    ['the phone is gone', ({ caller }) => caller.dies(), 0, 'failed'],
    [
      'the one who leaves has hung up, then busy',
      ({ caller, phone }) => (phone.hangsUp(), caller.referral?.ringing(), fails(caller)),
      0,
      'no_answer',
    ],
    ['ended by command', ({ call }) => void call.hangUp(), 0, 'api_hangup'],
  ]
  for (const [what, happens, seconds, result] of events) {
    const talk = await inside(exchange)
    const { caller, phone } = talk
    const asked = transferring(exchange, talk.asking, talk.callId, { phoneNumber: bob.number })
    await exchange.rest()
    happens(talk)
    await exchange.seconds(seconds)
    assert.notEqual(asked.state, 'pending', what)
    assert.deepEqual([sounds(caller), sounds(phone), exchange.ringing], [[], [], []], what)
    if (result === 'talk') assert.deepEqual([caller.hears, phone.hears], [[phone], [caller]], what)
    else assert.equal(exchange.lastEnd?.reason, result, what)
    caller.hangsUp()
    await exchange.rest()
  }
})

/** The called phone has consulted a third party while the other one waits. */
const consulting = async (exchange: Exchange, to: (ada: Customer) => Promise<string>): Promise<Inside & { target: ScriptedLeg }> => {
  const talk = await inside(exchange)
  transferring(exchange, talk.asking, talk.callId, { phoneNumber: await to(talk.ada), attended: true })
  await exchange.rest()
  const target = exchange.phone
  target.answers()
  await exchange.rest()
  return { ...talk, target }
}

test('refers the waiting phone of the account with Replaces, and bridges it when it does not call', async (t) => {
  const exchange = await openExchange(t, { transferBy: 'refer' })
  const bob = await exchange.newCustomer()
  for (const comes of [true, false]) {
    const { ada, asking, caller, phone, target, callId, call } = await consulting(exchange, () => Promise.resolve(bob.number))
    await call.mute(true)
    await call.hold(true)
    const done = transferring(exchange, asking, callId, { phoneNumber: bob.number, attended: false })
    await exchange.rest()
    assert.deepEqual([caller.log.at(-1), phone.over !== undefined], ['refer to a leg', true])
    const guest = comes ? await exchange.callFrom(ada, 'x', { replaces: target }) : caller
    if (comes) caller.referral?.resolve()
    else caller.referral?.reject(new Error('603'))
    await exchange.rest()
    assert.equal(done.state, 'done')
    assert.deepEqual([guest.hears, guest.muted, target.bridge === guest.bridge], [[target], true, true], 'muted as before')
    const participants = call.status().participants.map(({ hold, muted, owner }) => ({ hold, muted, owner }))
    assert.ok(participants.every(({ hold, muted, owner }) => !hold && muted === owner))
    assert.equal(caller.over !== undefined, comes)
    target.hangsUp()
    await exchange.rest()
    assert.ok(guest.over)
  }
})

test('rejects a late Replaces call of a phone that is already connected', async (t) => {
  const exchange = await openExchange(t, { transferBy: 'refer' })
  const colleague = (ada: Customer): Promise<string> =>
    exchange.store.write(async (tables) => exchange.addDevice(tables, ada.accountId, await exchange.addUser(tables, ada.accountId)))
  const { ada, caller, phone, target } = await consulting(exchange, colleague)
  phone.hangsUp()
  await exchange.seconds(5)
  assert.deepEqual([caller.hears, target.hears], [[target], [caller]], 'not waited for any longer')
  const late = await exchange.callFrom(ada, 'x', { replaces: target })
  assert.ok(late.over)
  assert.deepEqual([caller.hears, target.hears], [[target], [caller]])
})
