import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { databases, startWorld, type World } from '#test/world/world.ts'
import { setBilling } from './billing.ts'
import { writeWithinDay } from './day-alarm.ts'
import { isOpen } from './rates.ts'
import { topUp } from './funds.ts'
import { openTariff } from './open-tariff.ts'
import { extendCall, paidSeconds, reserveCall, reserveSms, settleCall, settleSms } from './reservations.ts'

const landline = '+4921163554444'
const day = 24 * 60 * 60 * 1000

test('closes numbers that pay their owner until they are opened', () => {
  const closed = {
    Cuba: '+5353123456',
    Somalia: '+252612345678',
    Tunisia: '+21620123456',
    Jamaica: '+18765551234',
    'Dominican Republic': '+18095551234',
    Jersey: '+447797123456',
    'United Kingdom, personal numbers': '+447012345678',
    'United Kingdom, shared cost': '+448711234567',
    'Iridium, a satellite': '+881612345678',
    'Inmarsat, a satellite': '+870773111632',
    'networks without a country': '+88213300000',
    'world-wide premium': '+979123456789',
    'what nobody knows': '+99912345678',
  }
  for (const [what, e164] of Object.entries(closed)) assert.equal(isOpen(e164, 'DE', []), false, what)
  const open = [landline, '+491801234567', '+33142685300', '+12125550123', '+447400123456', '+80012345678']
  for (const e164 of open) assert.ok(isOpen(e164, 'DE', []), e164)
  assert.ok(isOpen('+5353123456', 'CU', []), 'one’s own country')
  assert.ok(isOpen('+5353123456', 'DE', ['CU']))
  assert.equal(isOpen('+447012345678', 'DE', ['GB']), false, 'a country is opened with its ordinary numbers')
  assert.ok(isOpen('+447012345678', 'DE', ['4470']))
  assert.ok(isOpen('+881612345678', 'DE', ['8816']))
})

const openBank = async (world: World, perDay?: number) => {
  const ada = await world.newAccount()
  const { accountId } = ada
  const { clock } = world
  const tariffId = await world.write(async (tables) => {
    await topUp(tables, clock, { accountId, amount: 10_000_000, reason: 'cash', idempotencyKey: '1', actor: 'test' })
    if (perDay !== undefined) await tables.limits.set(accountId, { perDay })
    return openTariff(tables, clock, { currency: 'EUR' })
  })
  const payer = { id: accountId, tariffId, country: 'DE' }
  const parts = { store: world.running.deps.store, clock }
  return {
    ada,
    call: (sessionId: string, ...destinations: string[]) =>
      writeWithinDay(parts, accountId, (tables) => reserveCall(tables, clock, { payer, sessionId, purpose: 'CALL', destinations })),
    extend: (sessionId: string, seconds: number) =>
      world.write(async (tables) => (await extendCall(tables, clock, { accountId, sessionId, seconds })).seconds),
    settle: (sessionId: string, seconds: number) =>
      world.write((tables) => settleCall(tables, clock, { accountId, sessionId, seconds: [seconds] })),
    write: (sessionId: string, destination: string) =>
      writeWithinDay(parts, accountId, (tables) =>
        reserveSms(tables, clock, { payer, sessionId, destination, segments: 1, sendAt: clock.now() }),
      ),
    settleSms: (sessionId: string) => world.write((tables) => settleSms(tables, clock, accountId, sessionId)),
  }
}

for (const database of databases) {
  test(`${database}: limits calls and messages of a day together, including running ones, and resets on the next day`, async (t) => {
    const world = await startWorld(t, { database })
    const bank = await openBank(world, 190 * 3 + 790)
    const [talk, message] = [randomUUID(), randomUUID()]
    assert.equal(paidSeconds(await bank.call(talk, landline)), 60)
    await bank.write(message, '+4915112345678')
    assert.equal(await bank.extend(talk, 3_600), 180, 'a running call gets what the day leaves')
    await assert.rejects(bank.call(randomUUID(), landline), { code: 'daily_limit_reached', status: 402 })
    await world.write((tables) => setBilling(tables, { topUpText: 'Call us.' }))
    const notified = 'The account has reached its daily spending limit. Call us.'
    await assert.rejects(bank.write(randomUUID(), '+4915112345678'), { code: 'daily_limit_reached', message: notified })
    assert.equal((await bank.call(randomUUID(), '+498001234567')).amount, 0, 'what is free is free')
    assert.equal((await bank.call(randomUUID())).amount, 0, 'the rescue services cost nothing')
    assert.equal(await bank.settle(talk, 61), 380)
    await bank.settleSms(message)
    assert.equal((await bank.call(randomUUID(), landline)).amount, 190, 'what was not used is free again')
    const { api } = bank.ada
    const { spentToday, heldToday, perDay, paidCallsNow } = await api.readLimits({})
    assert.deepEqual([spentToday, heldToday, perDay, paidCallsNow], [380 + 790, 190, 1_360, 3])
    await assert.rejects(bank.call(randomUUID(), landline), { code: 'daily_limit_reached' })
    await world.clock.advance(day)
    assert.ok(paidSeconds(await bank.call(randomUUID(), landline)) >= 60)
  })
}

for (const database of databases)
  test(`${database}: limits the cost of a call, and warns of a low balance once until it is topped up`, async (t) => {
    const world = await startWorld(t, { database })
    const bank = await openBank(world)
    const { api, accountId } = bank.ada
    await api.changeLimits({}, { perCall: 380, warnBelow: 9_999_800 })
    const talk = randomUUID()
    await bank.call(talk, landline)
    assert.equal(await bank.extend(talk, 600), 120, 'two minutes are what it may cost')
    await assert.rejects(bank.call(randomUUID(), '+4915112345678'), { code: 'call_limit_reached' })
    assert.equal((await bank.call(randomUUID())).amount, 0, 'the rescue services are always reached')
    const lowEvents = async () => {
      await world.running.idle()
      return (await api.listAppEvents({})).items.filter(({ eventName }) => eventName === 'balance_low').length
    }
    await bank.settle(talk, 61)
    assert.equal(await lowEvents(), 1)
    const next = randomUUID()
    await bank.call(next, landline)
    await bank.settle(next, 10)
    assert.equal(await lowEvents(), 1, 'told already')
    await world.write((tables) =>
      topUp(tables, world.clock, { accountId, amount: 1_000, reason: 'cash', idempotencyKey: '2', actor: 'test' }),
    )
    for (let count = 0; count < 6; count++) {
      const sessionId = randomUUID()
      await bank.call(sessionId, landline)
      await bank.settle(sessionId, 10)
    }
    assert.equal(await lowEvents(), 2, 'it was above in between')
  })

test('limits a new account by default', async (t) => {
  const world = await startWorld(t)
  const bank = await openBank(world)
  let admitted = 0
  for (let count = 0; count < 40; count++) {
    const sessionId = randomUUID()
    if ((await bank.call(sessionId, '+12125550123').catch(() => undefined)) && (await bank.extend(sessionId, 180)) > 0) admitted++
  }
  const { spentToday, heldToday, perDay } = await bank.ada.api.readLimits({})
  assert.equal(perDay, 500_000)
  assert.ok(spentToday + heldToday <= perDay && admitted < 40)
})

test('notifies administrators at 50, 80 and 100 percent by mail and event once each, and operators at 100', async (t) => {
  const world = await startWorld(t)
  const bank = await openBank(world, 190 * 10)
  const colleague = await world.newUser(bank.ada.accountId)
  const names: [string, string][] = [
    [bank.ada.email, 'admin'],
    [colleague.email, 'colleague'],
  ]
  const read = new Set<string>()
  /** Recipients and subjects of the new mails. */
  const notifications = async () => {
    world.running.deps.wake()
    await world.running.idle() // runs the alarm
    await world.running.idle() // sends its mails
    const folder = join(world.data, 'mail')
    const files = (await readdir(folder).catch(() => [])).filter((file) => !read.has(file))
    const mails = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
    for (const file of files) read.add(file)
    return mails.map((mail) => {
      const [, to = ''] = /^To: (.*)$/m.exec(mail) ?? []
      const [, subject = ''] = /^Subject: (.*)$/m.exec(mail) ?? []
      return `${names.find(([email]) => to.includes(email))?.[1] ?? 'operator'}: ${subject}`
    })
  }
  const { accountId } = bank.ada
  for (let count = 0; count < 4; count++) await bank.call(randomUUID(), landline)
  assert.deepEqual(await notifications(), [])
  await bank.call(randomUUID(), landline)
  await bank.call(randomUUID(), landline)
  assert.deepEqual(await notifications(), [`admin: Account ${accountId}: 50 % of the daily limit used`])
  for (let count = 0; count < 3; count++) await bank.call(randomUUID(), landline)
  assert.deepEqual(await notifications(), [`admin: Account ${accountId}: 80 % of the daily limit used`])
  const dear = () => assert.rejects(bank.call(randomUUID(), '+4915112345678'), { code: 'daily_limit_reached' })
  await dear()
  await dear()
  const stopped = `Account ${accountId}: daily limit reached`
  assert.deepEqual((await notifications()).toSorted(), [`admin: ${stopped}`, `operator: ${stopped}`])
  const events = (await bank.ada.api.listAppEvents({})).items
  assert.deepEqual(
    events.map(({ eventType, payload }) => [eventType, payload.percent]),
    ['50', '80', '100'].map((percent) => ['SPENDING', percent]),
  )
})

test("applies the operator's limits to all or one account; customers can only lower them", async (t) => {
  const world = await startWorld(t)
  const bank = await openBank(world)
  const { accountId, api } = bank.ada
  const operator = await world.operator()
  await operator.setInstallationLimits({}, { perDay: 1_000, paidCalls: 2, opened: ['TN'] })
  await operator.setAccountLimits({ accountId }, { opened: ['53'] })
  const held = async () => {
    const { perDay, mostPerDay: maxPerDay, paidCalls, openedDestinations } = await api.readLimits({})
    return [perDay, maxPerDay, paidCalls, openedDestinations]
  }
  assert.deepEqual(await held(), [1_000, 1_000, 2, ['TN', '53']])
  await api.changeLimits({}, { perDay: 500 })
  assert.deepEqual(await held(), [500, 1_000, 2, ['TN', '53']])
  await api.changeLimits({}, { perDay: 5_000 })
  assert.deepEqual(await held(), [1_000, 1_000, 2, ['TN', '53']], 'the operator’s is the ceiling')
  await operator.setAccountLimits({ accountId }, { perDay: 9_000, paidCalls: 7 })
  assert.deepEqual(await held(), [5_000, 9_000, 7, ['TN']])
  assert.deepEqual((await operator.readAccountLimits({ accountId })).set, { perDay: 9_000, ownPerDay: 5_000, paidCalls: 7, opened: [] })
  await assert.rejects(operator.setAccountLimits({ accountId }, { opened: ['Cuba'] }), { status: 400 })
  await assert.rejects(operator.readAccountLimits({ accountId: '1' }), { status: 404 })
  const { perDay, usuallyOpen } = await operator.readInstallationLimits({})
  assert.deepEqual([perDay, usuallyOpen.includes('FR'), usuallyOpen.includes('CU')], [1_000, true, false])
})
