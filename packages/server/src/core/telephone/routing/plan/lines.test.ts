import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aNumber, anonymousCaller, openExchange, outsideNumber, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import type { Forwarding } from '#core/kernel/ports/store/line.ts'

const mobile = '+4915112345678'

const forward = ({ store }: Exchange, { accountId, line }: Customer, ...list: Partial<Forwarding>[]): Promise<void> =>
  store.write((tables) =>
    tables.phonelines.replaceForwardings(
      accountId,
      line,
      list.map((one) => ({ destination: outsideNumber, timeout: 10, active: true, ...one })),
    ),
  )

const change = (
  exchange: Exchange,
  { accountId, line }: Customer,
  what: Parameters<Exchange['store']['read']['phonelines']['update']>[2],
) => exchange.store.write((tables) => tables.phonelines.update(accountId, line, what))

const setVoicemail = async (
  { store }: Exchange,
  { accountId, line }: Customer,
  what: { timeout?: number; active?: boolean },
): Promise<string> =>
  store.write(async (tables) => {
    const [voicemail] = await tables.voicemails.listByOwner(accountId, line)
    assert.ok(voicemail)
    await tables.voicemails.update(accountId, voicemail.id, what)
    return voicemail.id
  })

/** End of the call and its history entry. */
const outcome = async (exchange: Exchange, of: Customer) => {
  const { direction, status, detail } = await exchange.entry(of)
  return [exchange.lastEnd?.reason, exchange.lastEnd?.cause, direction, status, detail.callStatus]
}

test('does not ring a phone with DND; the voicemail answers immediately when none may ring', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const second = await exchange.store.write(async (tables) => {
    await tables.devices.update(ada.accountId, ada.deviceId, { dnd: true })
    return exchange.addDevice(tables, ada.accountId, ada.userId)
  })
  const caller = await exchange.callIn(ada.number)
  assert.equal(exchange.phone.target?.kind === 'device' && exchange.phone.target.deviceId, second)
  caller.hangsUp()
  await exchange.store.write((tables) => tables.devices.update(ada.accountId, second, { dnd: true }))
  const again = await exchange.callIn(ada.number)
  assert.deepEqual(exchange.ringing, [])
  assert.deepEqual(again.log, ['answer', 'play de/voicemail-greeting'])
})

test('rejects with the matching cause for DND and for a missing registration without a voicemail', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const bob = await exchange.newCustomer()
  for (const one of [ada, bob]) await setVoicemail(exchange, one, { active: false })
  await exchange.store.write((tables) => tables.devices.update(ada.accountId, ada.deviceId, { dnd: true }))
  exchange.telephony.register(bob.accountId, bob.deviceId, 0)
  assert.deepEqual((await exchange.callIn(ada.number)).log, ['hangUp do_not_disturb'])
  assert.deepEqual(await outcome(exchange, ada), ['busy', 'do_not_disturb', 'MISSED_INCOMING', 'NOPICKUP', 'REJECTED_DND'])
  assert.deepEqual((await exchange.callIn(bob.number)).log, ['hangUp unavailable'])
  assert.deepEqual(await outcome(exchange, bob), ['failed', 'unavailable', 'MISSED_INCOMING', 'NOPICKUP', 'MISSED'])
})

test('busy on busy: rejects a second call only with the setting', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const first = await exchange.callIn(ada.number)
  exchange.phone.answers()
  await exchange.rest()
  const waiting = await exchange.callIn(ada.number)
  assert.equal(exchange.ringing.length, 1, 'call waiting')
  waiting.hangsUp()
  await exchange.rest()
  await change(exchange, ada, { busyOnBusy: true })
  assert.deepEqual((await exchange.callIn(ada.number)).log, ['hangUp busy'])
  const statuses = (await exchange.history(ada)).map(({ status, detail }) => [status, detail.callStatus])
  assert.ok(statuses.some(([status, callStatus]) => status === 'BUSY' && callStatus === 'BUSY_ON_BUSY'))
  first.hangsUp()
  await exchange.rest()
  await exchange.callIn(ada.number)
  assert.equal(exchange.ringing.length, 1, 'free again')
})

test('rejects anonymous callers or sends them to the voicemail', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  await change(exchange, ada, { blockAnonymous: true, blockAnonymousTarget: 'REJECT' })
  assert.deepEqual((await exchange.callIn(ada.number, { caller: anonymousCaller })).log, ['hangUp anonymity_refused'])
  assert.deepEqual(await outcome(exchange, ada), ['rejected', 'anonymity_refused', 'MISSED_INCOMING', 'NOPICKUP', 'REJECTED'])
  await change(exchange, ada, { blockAnonymous: true, blockAnonymousTarget: 'VOICEMAIL' })
  assert.ok((await exchange.callIn(ada.number, { caller: anonymousCaller })).answered)
  await exchange.callIn(ada.number)
  assert.equal(exchange.ringing.length, 1, 'who shows a number is put through')
})

test('forwards in order and in time, at the cost of the line’s account', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  await setVoicemail(exchange, ada, { active: false })
  await forward(exchange, ada, { timeout: 15 }, { destination: mobile, timeout: 5, active: false }, { destination: mobile, timeout: 20 })
  const caller = await exchange.callIn(ada.number, { diversions: ['+4930111'] })
  const desk = exchange.phone
  desk.rings()
  await exchange.seconds(14.9)
  assert.equal(exchange.phone, desk)
  await exchange.seconds(0.1)
  assert.deepEqual(desk.log, ['hangUp normal'])
  const landline = exchange.phone
  assert.ok(landline.target?.kind === 'trunk')
  assert.equal(landline.target.number, outsideNumber)
  const { about: _about, ...dial } = landline.dial ?? {}
  assert.deepEqual(dial, {
    caller: { number: outsideNumber, name: '', withheld: false },
    diversions: [ada.number, '+4930111'],
    hops: 2,
    near: caller,
  })
  assert.equal((await exchange.money(ada)).reserved, 190)
  await exchange.seconds(20)
  const cell = exchange.phone
  assert.equal(cell.target?.kind === 'trunk' && cell.target.number, mobile)
  assert.equal((await exchange.money(ada)).reserved, 990, 'what did not come about is free again')
  cell.answers()
  await exchange.seconds(61)
  caller.hangsUp()
  await exchange.rest()
  assert.deepEqual(await exchange.money(ada), { spent: 2 * 990, reserved: 0 })
  const entry = await exchange.entry(ada)
  assert.equal(entry.status, 'FORWARD')
  assert.equal(entry.detail.duration, 61)
  assert.deepEqual(
    entry.endpoints.map(({ type, extension }) => [type, extension]),
    [
      ['ROUTED', ada.line],
      ['FORWARDED', outsideNumber],
      ['FORWARDED', mobile],
    ],
  )
})

test('skips the phones for an immediate forwarding, and returns the most significant cause after all attempts', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  await setVoicemail(exchange, ada, { active: false })
  await forward(exchange, ada, { timeout: 0 }, { destination: mobile, timeout: 30 })
  const caller = await exchange.callIn(ada.number)
  exchange.phone.refuses('rejected', 603)
  await exchange.rest()
  exchange.phone.rings()
  await exchange.seconds(60)
  assert.deepEqual(caller.log, ['ring', 'hangUp rejected'])
})

test('hides the account’s billing problems from callers', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer({ money: 0 })
  await setVoicemail(exchange, ada, { active: false })
  await forward(exchange, ada, { timeout: 0 })
  assert.deepEqual((await exchange.callIn(ada.number)).log, ['hangUp unavailable'])
})

test('forwards to another account here without a trunk, and records both accounts', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const bob = await exchange.newCustomer()
  await forward(exchange, ada, { destination: bob.number, timeout: 10 })
  await setVoicemail(exchange, bob, { active: false })
  const caller = await exchange.callIn(ada.number)
  await exchange.seconds(10)
  const { phone } = exchange
  assert.equal(phone.target?.kind === 'device' && phone.target.accountId, bob.accountId)
  assert.deepEqual(phone.dial?.diversions, [ada.number])
  phone.answers()
  await exchange.seconds(30)
  caller.hangsUp()
  await exchange.rest()
  const [hers, his] = [await exchange.entry(ada), await exchange.entry(bob)]
  assert.deepEqual([hers.status, hers.direction, hers.detail.duration], ['FORWARD', 'INCOMING', 30])
  assert.deepEqual([his.status, his.direction, his.detail.duration, his.userId], ['PICKUP', 'INCOMING', 30, bob.userId])
  assert.equal(hers.sessionId, his.sessionId)
})

test('records a missed call for a line forwarded to without an answer, also when another destination answers', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const bob = await exchange.newCustomer()
  await setVoicemail(exchange, bob, { active: false })
  await forward(exchange, ada, { destination: bob.number, timeout: 5 }, { destination: 'voicemail', timeout: 10 })
  const caller = await exchange.callIn(ada.number)
  await exchange.seconds(15)
  assert.ok(caller.answered, 'the voicemail')
  await exchange.seconds(14)
  caller.hangsUp()
  await exchange.rest()
  assert.equal((await exchange.entry(ada)).type, 'VOICEMAIL')
  assert.equal((await exchange.entry(bob)).detail.callStatus, 'MISSED')
})

test('stops forwarding loops', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const bob = await exchange.newCustomer()
  for (const one of [ada, bob]) await setVoicemail(exchange, one, { active: false })
  await forward(exchange, ada, { destination: bob.number, timeout: 0 })
  await forward(exchange, bob, { destination: ada.number, timeout: 0 })
  assert.deepEqual((await exchange.callIn(ada.number)).log, ['hangUp loop'])
  assert.equal((await exchange.callIn(ada.number, { hops: 6 })).log[0], 'hangUp loop')
  await exchange.addTrunk()
  await forward(exchange, ada, { destination: outsideNumber, timeout: 0 })
  await exchange.callIn(ada.number, { hops: 4 })
  assert.equal(exchange.phone.dial?.hops, 6)
  assert.deepEqual((await exchange.callIn(ada.number, { hops: 5 })).log, ['hangUp loop'])
})

test('rings parallel forwardings: external numbers at the account’s cost and internal lines without their voicemail', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  const bob = await exchange.newCustomer()
  await exchange.store.write(async (tables) => {
    const beside = (destination: string, active = true) =>
      tables.phonelines.insertParallelForwarding(ada.accountId, ada.line, { alias: '', destination, active })
    await beside(outsideNumber)
    await beside(bob.number)
    await beside(mobile, false)
    await exchange.addDevice(tables, ada.accountId, ada.userId, { type: 'EXTERNAL', number: mobile })
  })
  const caller = await exchange.callIn(ada.number)
  assert.equal(exchange.ringing.length, 4)
  assert.equal((await exchange.money(ada)).reserved, 190 + 990)
  const [outside] = exchange.ringing.filter(({ target }) => target?.kind === 'trunk' && target.number === outsideNumber)
  const [external] = exchange.ringing.filter(({ target }) => target?.kind === 'trunk' && target.number === mobile)
  assert.deepEqual(external?.dial?.diversions, [ada.number])
  outside?.answers()
  await exchange.rest()
  assert.deepEqual(external?.log, ['hangUp answered_elsewhere'])
  assert.equal((await exchange.money(ada)).reserved, 190)
  caller.hangsUp()
  await exchange.rest()
  assert.deepEqual(await exchange.money(ada), { spent: 190, reserved: 0 })
})

test('rejects SMS extensions and numbers without a destination as not found', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const numbers = ['+4915155600002', '+4921155600003']
  await exchange.store.write(async (tables) => {
    const [sms] = await tables.smsLines.list(ada.accountId, ada.userId)
    assert.ok(sms)
    await tables.numbers.insert(ada.accountId, { ...aNumber(numbers[0] ?? ''), endpointId: sms.id })
    await tables.numbers.insert(ada.accountId, aNumber(numbers[1] ?? ''))
  })
  const notified = []
  for (const number of numbers) notified.push(...(await exchange.callIn(number)).log)
  assert.deepEqual(notified, ['hangUp not_found', 'hangUp not_found'])
})

test('treats colleagues as anonymous only if they withhold their number, even without a number', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  await change(exchange, ada, { blockAnonymous: true, blockAnonymousTarget: 'REJECT' })
  const deviceId = await exchange.store.write(async (tables) =>
    exchange.addDevice(tables, ada.accountId, await exchange.addUser(tables, ada.accountId)),
  )
  const colleague = await exchange.callFrom({ ...ada, deviceId }, ada.line)
  assert.equal(exchange.phone.dial?.caller.number, deviceId)
  colleague.hangsUp()
  const shy = await exchange.callFrom({ ...ada, deviceId }, ada.line, { caller: anonymousCaller })
  assert.deepEqual(shy.log, ['hangUp anonymity_refused'])
})

test('never dials a premium number, whatever its source and the tariff', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  const premium = '+499001234567'
  await setVoicemail(exchange, ada, { active: false })
  await exchange.store.write(async (tables) => {
    const { tariffId = '' } = (await tables.accounts.find(ada.accountId)) ?? {}
    const rate = { connectFee: 0, ratePerMinute: 1, minSeconds: 1, incrementSeconds: 1, perUnit: 0, blocked: false }
    await tables.tariffs.insertRate(tariffId, { service: 'CALL', prefix: '49900', validFrom: 0, validUntil: undefined, ...rate })
    await tables.phonelines.insertParallelForwarding(ada.accountId, ada.line, { alias: '', destination: premium, active: true })
    await exchange.addDevice(tables, ada.accountId, ada.userId, { type: 'EXTERNAL', number: premium })
  })
  await forward(exchange, ada, { destination: premium, timeout: 5 })
  await exchange.callIn(ada.number)
  const { phone } = exchange
  assert.equal(phone.target?.kind, 'device')
  await exchange.seconds(60)
  assert.deepEqual(exchange.telephony.called, [phone])
})

test('shows numbers to external networks, never extension names', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  const { line, external } = await exchange.store.write(async (tables) => {
    const bob = await exchange.addUser(tables, ada.accountId)
    const [own] = await tables.phonelines.list(ada.accountId, bob)
    const id = await exchange.addDevice(tables, ada.accountId, bob, { type: 'EXTERNAL', number: mobile })
    await tables.devices.update(ada.accountId, id, { incomingCallDisplay: 'CALLED_NUMBER' })
    return { line: own?.id ?? '', external: id }
  })
  for (const dialled of [line, external]) {
    const caller = await exchange.callFrom(ada, dialled)
    const { dial } = exchange.phone
    assert.deepEqual([dial?.caller.number, dial?.diversions], [ada.number, []], 'nothing leads to that line')
    caller.hangsUp()
    await exchange.rest()
  }
})
