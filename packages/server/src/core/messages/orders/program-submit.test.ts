import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { Problem } from '@offhook/contract/problem.ts'
import { databases, startWorld, type Database, type World } from '#test/world/world.ts'
import type { SmsOrder } from '#core/kernel/ports/calls.ts'
import type { StoredSms } from '#core/kernel/ports/store/message.ts'
import { takeDeliveries } from '../sms/programs/program-deliveries.ts'
import { admitProgram, createProgramLogin, isAdmitted, removeProgramLogin, type Program } from '../sms/programs/program-login.ts'
import { messageForProgram, programSweep } from '../sms/programs/program-notes.ts'
import { submitFromProgram, type ProgramInput } from './program-submit.ts'

const sender = '+4915799912345'
/** A local number, so that messages are free. */
const recipient = '+4915799954321'

/** A program, and a line that only records its orders. */
const openProgram = async (t: TestContext, database: Database) => {
  const world = await startWorld(t, { database })
  const { accountId, userId } = await world.newAccount()
  await world.write(async ({ numbers }) => {
    const number = { type: 'MOBILE', state: 'ACTIVE', createdAt: 0, endpointId: 's0' } as const
    await numbers.insert(accountId, { ...number, id: 'n1', e164: sender })
    await numbers.insert(accountId, { ...number, id: 'n2', e164: recipient })
  })
  const { deps } = world.running
  const orders: SmsOrder[] = []
  let trouble: Error | undefined
  let meanwhile: (() => Promise<unknown>) | undefined
  const taking = {
    ...deps.orders,
    sendSms: async (order: SmsOrder) => {
      if (trouble) throw trouble
      orders.push(order)
      const happens = meanwhile
      meanwhile = undefined
      await happens?.()
    },
  }
  const { login, password } = await createProgramLogin(deps, { accountId, smsId: 's0', actor: 'user:w0' })
  const program: Program = login
  const submit = (input: Partial<ProgramInput>) =>
    submitFromProgram({ ...deps, orders: taking }, program, { sender: '', recipient, text: 'Hi', receipt: 'never', ...input })
  const notes = () => world.write(({ programs }) => programs.countNotes(accountId, 's0', 'RECEIPT'))
  const fail = (error: Error | undefined) => void (trouble = error)
  const duringNext = (happens: () => Promise<unknown>) => void (meanwhile = happens)
  return { world, deps, accountId, userId, program, password, orders, submit, notes, fail, duringNext }
}

const farAhead = Number.MAX_SAFE_INTEGER
const everything = { parts: farAhead, told: farAhead, outcomes: farAhead }

const of = (number: number, total: number, reference: number) => ({ of: { reference, total, number } })

for (const database of databases) {
  test(`${database}: programs of customers`, async (t) => {
    const office = await openProgram(t, database)
    t.beforeEach(async () => {
      office.orders.splice(0)
      await office.world.write(({ programs }) => programs.removeOlderThan(everything))
    })

    await t.test('joins parts in any order; each part has its own id', async () => {
      const { submit, orders, notes } = office
      const second = await submit({ text: ' World', ...of(2, 2, 1), receipt: 'always' })
      assert.deepEqual(orders, [], 'it waits for the other one')
      const first = await submit({ text: 'Hello', ...of(1, 2, 1) })
      assert.deepEqual(
        orders.map(({ message, smsId, sender: from }) => [message, smsId, from]),
        [['Hello World', 's0', sender]],
      )
      const [{ sessionId } = { sessionId: '' }] = orders
      assert.deepEqual([first, second], [`${sessionId}.1`, `${sessionId}.2`])
      assert.equal(await notes(), 1)
      await submit({ text: 'Alone' })
      assert.equal(orders.length, 2)
    })

    await t.test('recognises a repeated part; other text under its number starts another message', async () => {
      const { submit, orders, notes } = office
      const lost = await submit({ text: 'Old', ...of(1, 2, 2), receipt: 'always' })
      assert.equal(await submit({ text: 'Old', ...of(1, 2, 2), receipt: 'always' }), lost)
      assert.equal(await notes(), 1)
      const anew = await submit({ text: 'New', ...of(1, 2, 2) })
      assert.notEqual(anew, lost)
      assert.equal(await notes(), 0, 'the outcome of the old one is never known')
      await submit({ text: 'est', ...of(2, 2, 2) })
      assert.deepEqual(
        orders.map(({ message }) => message),
        ['Newest'],
      )
      assert.equal(await submit({ text: 'est', ...of(2, 2, 2) }), `${orders[0]?.sessionId}.2`, 'its answer got lost')
      await submit({ text: 'Other', ...of(1, 2, 2) })
      await submit({ text: ' words', ...of(2, 2, 2) })
      assert.deepEqual(
        orders.map(({ message }) => message),
        ['Newest', 'Other words'],
        'the reference has come round',
      )
    })

    await t.test('starts another message with the same reference while the first is being ordered', async () => {
      const { submit, orders, duringNext } = office
      await submit({ text: 'One', ...of(1, 2, 5) })
      duringNext(() => submit({ text: 'Three', ...of(1, 2, 5) }))
      await submit({ text: ' two', ...of(2, 2, 5) })
      await submit({ text: ' four', ...of(2, 2, 5) })
      assert.deepEqual(
        orders.map(({ message }) => message),
        ['One two', 'Three four'],
      )
    })

    await t.test('joins halves of a surrogate pair across parts', async () => {
      const { submit, orders } = office
      const [high = '', low = ''] = Array.from({ length: 2 }, (_, index) => '🚀'.charAt(index))
      await submit({ text: `a${high}`, ...of(1, 2, 3) })
      await submit({ text: `${low}b`, ...of(2, 2, 3) })
      assert.equal(orders[0]?.message, 'a🚀b')
    })

    await t.test('leaves no state after a rejection; the last part of a message may be repeated', async () => {
      const { submit, orders, notes, fail } = office
      for (const [input, code] of [
        [{ sender: '+491799999999' }, 'sms_sender_not_verified'],
        [{ sender: 'Police' }, 'sms_sender_not_verified'],
        [{ recipient: '12' }, 'number_invalid'],
        [{ text: '' }, 'parameter_invalid'],
        [{ text: 'a\0b' }, 'parameter_invalid'],
        [{ text: 'x'.repeat(1531) }, 'parameter_invalid'],
        [of(1, 47, 9), 'parameter_invalid'],
      ] as const)
        await assert.rejects(submit({ receipt: 'always', ...input }), { code }, JSON.stringify(input).slice(0, 60))
      assert.equal(await notes(), 0)
      await submit({ text: 'One', ...of(1, 2, 4), receipt: 'always' })
      fail(new Error('the disk is gone'))
      await assert.rejects(submit({ text: ' two', ...of(2, 2, 4) }), /disk/)
      fail(new Problem('line_unavailable'))
      await assert.rejects(submit({ text: ' two', ...of(2, 2, 4) }), { code: 'line_unavailable' })
      fail(undefined)
      const second = await submit({ text: ' two', ...of(2, 2, 4) })
      assert.deepEqual(
        orders.map(({ message }) => message),
        ['One two'],
      )
      assert.equal(second, `${orders[0]?.sessionId}.2`)
      assert.equal(await notes(), 1)
    })

    await t.test('leases a note to one session at a time, redelivers it if unconfirmed, and expires it', async () => {
      const { world, deps, accountId, program } = office
      const sms = await received(world, accountId)
      await world.write((tables) => messageForProgram(tables, sms, world.clock.now()))
      const now = world.clock.now()
      const take = (at: number) => takeDeliveries(deps.store, program, { now: at, until: at + 1000, limit: 10 })
      const [notified] = await take(now)
      assert.deepEqual(notified && 'parts' in notified && notified.parts.map(({ text, sender: from }) => [text, from]), [
        ['Hello', recipient],
      ])
      assert.deepEqual(await take(now), [])
      assert.equal((await take(now + 1000)).length, 1)
      await world.write((tables) => programSweep.run(tables, now + 8 * 24 * 3_600_000))
      assert.deepEqual(await take(now + 9 * 24 * 3_600_000), [])
    })

    await t.test('delivers a receipt for a message scheduled in a month and keeps it a week more', async () => {
      const { world, deps, accountId, program, submit, notes } = office
      const start = world.clock.now()
      const [day, month] = [86_400_000, 30 * 86_400_000]
      const messageId = await submit({ receipt: 'always', sendAt: Math.floor((start + month) / 1000) })
      await world.write((tables) => programSweep.run(tables, start + month))
      assert.equal(await notes(), 1)
      await world.write(({ messages }) =>
        messages.insert({ ...incoming(world, accountId, messageId), direction: 'OUTGOING', state: 'DELIVERED' }),
      )
      await world.write(({ programs }) => programs.outcomeKnown(accountId, messageId, start + month))
      await world.write((tables) => programSweep.run(tables, start + month + day))
      const now = start + month + day
      const [notified] = await takeDeliveries(deps.store, program, { now, until: now, limit: 1 })
      assert.equal(notified && 'receipt' in notified && notified.receipt.id, messageId)
      await world.write((tables) => programSweep.run(tables, start + month + 8 * day))
      assert.equal(await notes(), 0)
    })

    await t.test('admits a program by password, rate-limits guesses, and drops replaced logins', async () => {
      const { world, deps, accountId, program, password } = office
      const enter = (given: string, name = program.systemId) => admitProgram(deps, { systemId: name, password: given, ip: '192.0.2.1' })
      assert.equal(program.systemId, `${accountId}s0`)
      assert.equal((await enter(password)).smsId, 's0')
      await assert.rejects(enter('wrong'), { code: 'invalid_credentials' })
      await assert.rejects(enter(password, 'nobody'), { code: 'invalid_credentials' })
      for (let guess = 0; guess < 4; guess++) await assert.rejects(enter('guess'), { code: 'invalid_credentials' })
      await assert.rejects(enter(password), { code: 'rate_limited' })
      await world.clock.advance(60_000)
      await enter(password)
      const { login } = await createProgramLogin(deps, { accountId, smsId: 's0', actor: 'user:w0' })
      assert.equal(await isAdmitted(deps.store, program), false, 'the old password has ended')
      assert.equal(await isAdmitted(deps.store, login), true)
      await world.write((tables) => removeProgramLogin(tables, { accountId, smsId: 's0', actor: 'user:w0' }, 0))
      assert.equal(await isAdmitted(deps.store, login), false)
      const sms = await received(world, accountId, 'm2')
      assert.equal(await world.write((tables) => messageForProgram(tables, sms, 0)), false, 'no program, no note')
    })
  })
}

const incoming = (world: World, accountId: string, id: string): StoredSms => {
  const at = world.clock.now()
  return {
    accountId,
    id,
    direction: 'INCOMING',
    listed: true,
    userId: 'w0',
    smsId: 's0',
    sender: recipient,
    recipient: sender,
    text: 'Hello',
    segments: 1,
    state: 'RECEIVED',
    route: 'smpp',
    reason: undefined,
    createdAt: at,
    changedAt: at,
    sendAt: at,
    giveUpAt: at,
  }
}

const received = async (world: World, accountId: string, id = 'm1'): Promise<StoredSms> => {
  const sms = incoming(world, accountId, id)
  await world.write(({ messages }) => messages.insert(sms))
  return sms
}
