// test: own process
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localBus } from '#adapters/bus/local-bus.ts'
import { busChanges } from '#core/kernel/changes/publish-changes.ts'
import { WorkSignals } from '#core/kernel/work/work-signals.ts'
import { RoutingCache } from '#core/kernel/changes/routing-cache.ts'
import { ScriptedAssistant } from '#test/routing/scripted-assistant.ts'
import { Exchange } from '#test/routing/scripted-exchange.ts'
import { countSqlite, type CountedSqlite } from '#test/store/counted-sqlite.ts'
import { openTestStore } from '#test/store/databases.ts'

const list = ({ kinds }: CountedSqlite): string => [...kinds].map(([text, calls]) => `${calls} × ${text.slice(0, 100)}`).join('\n')

test("keeps a bridged call's SQLite statements within budget", async (t) => {
  const bus = localBus()
  const clock = { now: () => 0, elapsed: () => 0, after: () => () => {} }
  const recent = new RoutingCache({ clock, changes: busChanges(bus), heard: () => true })
  let exchange: Exchange | undefined
  t.after(async () => {
    await exchange?.close()
    await Promise.all([recent.close(), bus.close()])
  })
  const store = recent.over(recent.watch(new WorkSignals().watch(await openTestStore(t, 'sqlite'))))
  exchange = new Exchange(store, new ScriptedAssistant(), undefined, 'bridge', true)
  const { timelines } = exchange
  const customer = await exchange.newCustomer()
  const talk = async (seconds: number): Promise<void> => {
    const caller = await exchange.callIn(customer.number)
    exchange.phone.answers()
    await exchange.seconds(seconds)
    caller.hangsUp()
    await exchange.seconds(1)
  }
  await talk(10)
  await timelines.flush()
  const counted = countSqlite(t)
  await talk(10)
  await timelines.flush()
  const shared = [...counted.kinds].filter(([text]) => /"lease"|"job"/.test(text)).reduce((sum, [, count]) => sum + count, 0)
  assert.ok(counted.statements - shared <= 8, `${counted.statements} statements:\n${list(counted)}`)
  assert.ok(counted.commits <= 6, `${counted.commits} commits`)
})
