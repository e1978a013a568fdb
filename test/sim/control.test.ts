import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { HistoryEntry } from '#core/kernel/ports/store/call.ts'
import { openTestStore } from '#test/store/databases.ts'
import { ScriptedAssistant } from '#test/routing/scripted-assistant.ts'
import { ScriptedCall } from '#test/call-model/scripted-call.ts'
import type { TestParties } from '#test/routing/test-parties.ts'
import { soundMs } from '#test/ports/scripted-leg.ts'
import { Exchange, type Customer } from '#test/routing/scripted-exchange.ts'

/** `OFFHOOK_DICE=17` repeats one sequence. */
const [first = 1, last = first] = (process.env.OFFHOOK_DICE ?? '1-150').split('-').map(Number)
const concurrentCalls = Math.min(50, last - first + 1)

/** Every other store write fails; its effects happen anyway. */
const failSomeWrites = ({ outside }: Exchange, fail: boolean): void => {
  let writes = 0
  outside.misfortune = () => fail && outside.asked.at(-1) === 'write' && ++writes % 2 === 1
}

const talk = async (exchange: Exchange, calls: readonly ScriptedCall[]): Promise<void> => {
  for (const call of calls) call.dial()
  await exchange.rest()
  for (const call of calls) call.react()
  await exchange.rest()
  for (const call of calls) call.begins()
}

/** One step in every call, then a check of every call. While the store fails no new party is called: no money could be reserved. */
const command = async (exchange: Exchange, calls: readonly ScriptedCall[], brittle: boolean): Promise<void> => {
  let round = 0
  for (let running = calls; running.length > 0; running = running.filter(({ over: ended }) => !ended)) {
    const failing = brittle && ++round % 2 === 0
    failSomeWrites(exchange, failing)
    for (const call of running) call.step({ mayCall: !failing })
    await exchange.rest()
    for (const call of running) call.react()
    await exchange.rest()
    for (let rounds = 5; rounds > 0 && running.some(({ waits }) => waits); rounds--) await exchange.clock.advance(soundMs)
    for (const call of running) call.check()
  }
  await exchange.seconds(10)
  failSomeWrites(exchange, false)
}

const historyOf = async (exchange: Exchange, casts: readonly TestParties[]): Promise<Map<string, HistoryEntry[]>> => {
  const entries = new Map<string, HistoryEntry[]>()
  for (const { accountId } of casts.flatMap(({ ada, bob }) => [ada, bob]))
    for (const entry of await exchange.history({ accountId })) {
      const key = `${accountId} ${entry.sessionId}`
      entries.set(key, [...(entries.get(key) ?? []), entry])
    }
  return entries
}

/** A busy party stays busy. */
const newCustomer = async (exchange: Exchange): Promise<Customer> => {
  const customer = await exchange.newCustomer()
  const { accountId, line } = customer
  await exchange.store.write(async (tables) => {
    for (const { id } of await tables.voicemails.listByOwner(accountId, line))
      await tables.voicemails.update(accountId, id, { active: false })
  })
  return customer
}

const play = async (t: TestContext, { brittle }: { brittle: boolean }): Promise<void> => {
  const exchange = new Exchange(await openTestStore(t, 'sqlite'), new ScriptedAssistant())
  await exchange.addTrunk()
  const casts = await Promise.all(
    Array.from({ length: concurrentCalls }, async (_, place): Promise<TestParties> => {
      const [ada, bob] = [await newCustomer(exchange), await newCustomer(exchange)]
      return { ada, bob, dora: { number: `+4930123${String(place).padStart(5, '0')}` } }
    }),
  )
  const calls: ScriptedCall[] = []
  for (let seed = first; seed <= last; seed += concurrentCalls) {
    const together = casts.slice(0, last - seed + 1).map((parties, place) => new ScriptedCall(exchange, parties, seed + place, brittle))
    await talk(exchange, together)
    await command(exchange, together, brittle)
    calls.push(...together)
  }
  await exchange.close()
  const history = await historyOf(exchange, casts)
  for (const call of calls) call.checkEnd(history)
  for (const { ada, bob } of casts) for (const one of [ada, bob]) assert.equal((await exchange.money(one)).reserved, 0)
  if (!brittle) assert.deepEqual(exchange.failures, [])
}

test('shows in the API what the phones were sent under random commands, and ends every call once', (t) => play(t, { brittle: false }))

test('does the same with phones that reject or die, and a failing store', (t) => play(t, { brittle: true }))
