// test: chance
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { openTestStore } from '#test/store/databases.ts'
import { dice } from '#test/chance/dice.ts'
import { ScriptedAssistant } from '#test/routing/scripted-assistant.ts'
import { Exchange, outsideNumber, type Customer } from '#test/routing/scripted-exchange.ts'
import { placeOrder } from '#test/routing/scripted-order.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'

const mobile = '+4915112345678'
const steps = 150

/** Random phone events in random order: every call must end once, be in the history once, and be charged correctly. */
const anything = async (exchange: Exchange, customers: Customer[], roll: (sides: number) => number): Promise<void> => {
  const legs: ScriptedLeg[] = []
  const commands: Promise<unknown>[] = []
  const one = <T>(list: readonly T[]): T | undefined => list[roll(list.length)]
  const all = (): ScriptedLeg[] => [...legs, ...exchange.telephony.called].filter(({ over }) => !over)
  const talking = (): ScriptedLeg | undefined => one(all().filter(({ answered }) => answered))
  const somewhere = (): string =>
    one([...customers.map(({ number }) => number), outsideNumber, mobile, '112', '0900 1234567', '44', 'p0', 'g0']) ?? ''
  const anybody = (): Customer => one(customers) ?? assert.fail()
  const survive = (work: Promise<unknown>): void =>
    void commands.push(
      work.catch((error: unknown) => assert.ok(error instanceof Problem || String(error).includes('injected'), String(error))),
    )
  const order = (customer: Customer, caller: string | undefined): void => {
    const input = { callee: somewhere(), deviceId: customer.deviceId, ...(caller !== undefined && { caller }) }
    survive(placeOrder(exchange, customer, input, randomUUID()))
  }
  const command = (work: (call: ReturnType<typeof exchange.calls.get>) => Promise<void>): void => {
    const { accountId, userId } = anybody()
    const call = one(exchange.calls.list({ accountId, userId, admin: true } as UserCaller))
    if (call) survive(work(call))
  }
  const origin = ({ accountId, deviceId }: Customer) => ({ kind: 'device', accountId, deviceId }) as const
  const actions: (() => unknown)[] = [
    () => legs.push(exchange.telephony.arrives({ kind: 'trunk', trunkId: 't' }, somewhere())),
    () => legs.push(exchange.telephony.arrives(origin(anybody()), somewhere())),
    () => legs.push(exchange.telephony.arrives(origin(anybody()), somewhere())),
    () => order(anybody(), undefined),
    () => order(anybody(), somewhere()),
    () => one(exchange.ringing)?.rings(),
    () => one(exchange.ringing)?.sendsEarlyAudio(),
    () => one(exchange.ringing)?.answers(),
    () => one(exchange.ringing)?.answers(),
    () => one(exchange.ringing)?.refuses('busy', 486),
    () => one(all())?.hangsUp(),
    () => one(all())?.dies('media_timeout'),
    () => talking()?.presses('1#'),
    () => talking()?.holds(roll(2) === 0),
    () => talking()?.asksTransfer({ dialled: somewhere() }),
    () => talking()?.asksTransfer({ leg: talking() ?? assert.fail() }),
    () => legs.push(exchange.telephony.arrives(origin(anybody()), 'x', { replaces: talking() })),
    () => command((call) => call.hold(roll(2) === 0)),
    () => command((call) => call.record(roll(2) === 0, { announcement: roll(2) === 0 })),
    () => command((call) => call.hangUp()),
  ]
  for (let step = 0; step < steps; step++) {
    one(actions)?.()
    if (roll(3) > 0) await exchange.clock.advance(roll(4) === 0 ? roll(40_000) : 0)
  }
  const closing = exchange.callRouter.hangUpAll()
  await exchange.seconds(1)
  await closing
  await Promise.all(commands)
  for (const leg of [...legs, ...exchange.telephony.called]) {
    assert.ok(leg.over, leg.log.join())
    assert.ok(!leg.observed, leg.log.join())
  }
}

/** Sets up forwarding loops, external phones, groups and parallel forwardings to each other. */
const entangle = (exchange: Exchange, customers: Customer[]): Promise<void> =>
  exchange.store.write(async (tables) => {
    for (const [index, { accountId, userId, line }] of customers.entries()) {
      const next = customers[(index + 1) % customers.length]?.number ?? ''
      await tables.phonelines.replaceForwardings(accountId, line, [
        { destination: next, timeout: 5 * index, active: true },
        { destination: mobile, timeout: 10, active: true },
        { destination: 'voicemail', timeout: 20, active: index > 0 },
      ])
      await tables.phonelines.insertParallelForwarding(accountId, line, {
        alias: '',
        destination: index > 0 ? outsideNumber : next,
        active: true,
      })
      await exchange.addDevice(tables, accountId, userId, { type: 'EXTERNAL', number: mobile })
      const group = await tables.groups.create(accountId, {
        alias: 'All',
        strategy: 'LINEAR',
        ringSeconds: 5,
        departmentId: undefined,
        at: 0,
      })
      await tables.groups.replaceMembers(accountId, group, [userId])
      for (const { id } of await tables.devices.list(accountId)) await tables.groups.addDevice(accountId, group, id)
    }
  })

for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
  const brittle = seed % 2 === 0
  test(`ends, records and charges every call once when events come in any order${brittle ? ', and fail' : ''} (seed ${seed})`, async (t) => {
    const exchange = new Exchange(await openTestStore(t, 'sqlite'), new ScriptedAssistant())
    await exchange.addTrunk()
    const customers = [await exchange.newCustomer(), await exchange.newCustomer(), await exchange.newCustomer({ money: 500 })]
    if (seed > 4) await entangle(exchange, customers)
    const misfortune = dice(seed + 1000)
    if (brittle) exchange.outside.misfortune = () => misfortune(100) === 0
    await anything(exchange, customers, dice(seed))
    exchange.outside.misfortune = () => false
    await exchange.close()
    if (!brittle) assert.deepEqual(exchange.failures, [])
    const called = (what: string): string[] => exchange.changes.filter(([change]) => change === what).map(([, { callId }]) => callId)
    const ended = called('ended')
    assert.ok(ended.length > 10)
    assert.equal(new Set(ended).size, ended.length)
    assert.deepEqual(new Set(ended), new Set(called('started')))
    for (const { accountId } of customers) {
      const concerned = exchange.changes.filter(([what, call]) => what === 'ended' && call.accountIds.includes(accountId))
      const entries = await exchange.history({ accountId })
      assert.deepEqual(new Set(entries.map(({ sessionId }) => sessionId)), new Set(concerned.map(([, { callId }]) => callId)))
      const calls = new Set(entries.filter(({ type }) => type === 'CALL').map(({ sessionId }) => sessionId))
      const beside = entries.filter(({ type, sessionId }) => type === 'VOICEMAIL' && calls.has(sessionId))
      assert.equal(entries.length - beside.length, concerned.length, 'only a message can stand beside its call')
      assert.equal((await exchange.store.read.balances.find(accountId))?.reserved, 0)
      for (const { callId } of exchange.changes.map(([, call]) => call))
        assert.throws(() => exchange.calls.get({ accountId, admin: true } as UserCaller, callId), { code: 'call_not_found' })
    }
  })
}
