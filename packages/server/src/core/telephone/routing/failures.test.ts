// test: chance
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { openTestStore } from '#test/store/databases.ts'
import { addFlow, adminOf, callOut } from '#test/routing/flow-calls.ts'
import { ScriptedAssistant } from '#test/routing/scripted-assistant.ts'
import { Exchange, outsideNumber, type Customer } from '#test/routing/scripted-exchange.ts'
import { orderCall } from '#test/routing/scripted-order.ts'
import { dial, gather, notifications, saying, ScriptedGuide } from '#test/routing/scripted-guide.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'
import { transferring } from '#test/routing/transfers.ts'
import { moneyJobs } from '#core/money/jobs.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'

type Scene = (exchange: Exchange, customer: Customer, assistant: ScriptedAssistant, guide: ScriptedGuide) => Promise<ScriptedLeg[]>

const mobile = '+4915112345678'

/** An external caller calls, and a phone answers if the injected failure let it ring. */
const callAnswered = async (exchange: Exchange, { number }: Customer): Promise<{ caller: ScriptedLeg; phone: ScriptedLeg | undefined }> => {
  const caller = await exchange.callIn(number)
  const [phone] = exchange.ringing
  phone?.answers()
  await exchange.rest()
  return { caller, phone }
}

const scenes: Record<string, Scene> = {
  'a phone calls a number outside and talks for two minutes': async (exchange, ada) => {
    const caller = await exchange.callFrom(ada, outsideNumber)
    exchange.ringing[0]?.rings()
    exchange.ringing[0]?.sendsEarlyAudio()
    await exchange.rest()
    exchange.ringing[0]?.answers()
    await exchange.seconds(120)
    caller.hangsUp()
    return [caller]
  },
  'the money runs out': async (exchange, ada) => {
    await exchange.store.write(async (tables) => {
      const { amount = 0 } = (await tables.balances.find(ada.accountId)) ?? {}
      const postings = [{ book: 'balance', amount: 200 - amount } as const, { book: 'adjustments', amount: amount - 200 } as const]
      await tables.balances.book(ada.accountId, { key: 'poor', reason: '', actor: 'test', at: exchange.clock.now(), postings })
    })
    const caller = await exchange.callFrom(ada, outsideNumber)
    exchange.ringing[0]?.answers()
    await exchange.seconds(70)
    return [caller]
  },
  'a call comes in, is passed on outside and ends on the voicemail': async (exchange, ada) => {
    await exchange.store.write((tables) =>
      tables.phonelines.replaceForwardings(ada.accountId, ada.line, [
        { destination: mobile, timeout: 10, active: true },
        { destination: 'voicemail', timeout: 10, active: true },
      ]),
    )
    const caller = await exchange.callIn(ada.number)
    exchange.ringing[0]?.rings()
    await exchange.seconds(35)
    caller.hangsUp()
    return [caller]
  },
  'a phone holds, presses keys and hands its caller on': async (exchange, ada) => {
    const caller = await exchange.callIn(ada.number)
    const [phone] = exchange.ringing
    phone?.answers()
    await exchange.seconds(5)
    phone?.presses('1')
    phone?.holds(true)
    phone?.asksTransfer({ dialled: mobile })
    await exchange.rest()
    exchange.ringing[0]?.rings()
    exchange.ringing[0]?.answers()
    await exchange.seconds(70)
    caller.hangsUp()
    return [caller]
  },
  'a phone joins its two calls': async (exchange, ada) => {
    const { caller, phone } = await callAnswered(exchange, ada)
    const second = await exchange.callFrom(ada, mobile)
    exchange.ringing[0]?.answers()
    await exchange.rest()
    phone?.asksTransfer({ leg: second })
    await exchange.seconds(10)
    caller.hangsUp()
    second.hangsUp()
    return [caller, second]
  },
  'a user hands the caller on, first in vain': async (exchange, ada) => {
    const { caller, phone } = await callAnswered(exchange, ada)
    for (const end of [(leg: ScriptedLeg) => leg.refuses('busy', 486), (leg: ScriptedLeg) => leg.answers()]) {
      for (const { callId } of exchange.calls.list(adminOf(ada))) transferring(exchange, ada, callId, { phoneNumber: mobile })
      await exchange.rest()
      exchange.ringing[0]?.rings()
      await exchange.rest()
      for (const leg of exchange.ringing) end(leg)
      await exchange.rest()
    }
    await exchange.seconds(5)
    caller.hangsUp()
    phone?.hangsUp()
    return [caller]
  },
  'a user consults two targets: one hangs up, one takes the caller': async (exchange, ada) => {
    const { caller, phone } = await callAnswered(exchange, ada)
    for (const hangsUp of [true, false]) {
      for (const { callId } of exchange.calls.list(adminOf(ada)))
        transferring(exchange, ada, callId, { phoneNumber: mobile, attended: true })
      await exchange.rest()
      for (const leg of exchange.ringing) {
        leg.sendsEarlyAudio()
        await exchange.rest()
        leg.answers()
        await exchange.rest()
        if (hangsUp) leg.hangsUp()
      }
      await exchange.rest()
    }
    phone?.hangsUp()
    await exchange.seconds(5)
    caller.hangsUp()
    for (const leg of exchange.telephony.alive) leg.hangsUp()
    return [caller]
  },
  'another phone takes over': async (exchange, ada) => {
    const { caller, phone } = await callAnswered(exchange, ada)
    const other = phone && !phone.over ? [await exchange.callFrom(ada, 'x', { replaces: phone })] : []
    await exchange.seconds(1)
    caller.hangsUp()
    return [caller, ...other]
  },
  'an assistant hands its caller on, first in vain': async (exchange, ada, assistant) => {
    await addFlow(exchange, ada, { transferTargets: [mobile] })
    const caller = await exchange.callIn(ada.number)
    for (const end of [(leg: ScriptedLeg) => leg.refuses('busy', 486), (leg: ScriptedLeg) => leg.answers()]) {
      void assistant.sessions[0]?.call.transfer(mobile, {}).catch((error: unknown) => exchange.failures.push(error))
      await exchange.rest()
      exchange.ringing[0]?.sendsEarlyAudio()
      await exchange.rest()
      for (const leg of exchange.ringing) end(leg)
      await exchange.seconds(2)
    }
    await exchange.seconds(70)
    caller.hangsUp()
    return [caller]
  },
  'an assistant has somebody accept its caller, first in vain': async (exchange, ada, assistant) => {
    await addFlow(exchange, ada, { transferTargets: [mobile] })
    const caller = await exchange.callIn(ada.number)
    for (const decision of ['rejected', 'accepted'] as const) {
      const decided = Promise.withResolvers<typeof decision>()
      void assistant.sessions[0]?.call
        .transfer(mobile, { brief: () => decided.promise })
        .catch((error: unknown) => exchange.failures.push(error))
      await exchange.rest()
      exchange.ringing[0]?.sendsEarlyAudio()
      for (const leg of exchange.ringing) leg.answers()
      await exchange.seconds(5)
      decided.resolve(decision)
      await exchange.rest()
    }
    await exchange.seconds(70)
    caller.hangsUp()
    return [caller]
  },
  'an assistant makes a call and talks for two minutes': async (exchange, ada) => {
    await addFlow(exchange, ada)
    await callOut(exchange, ada, outsideNumber).catch((error: unknown) => exchange.failures.push(error))
    exchange.ringing[0]?.rings()
    exchange.ringing[0]?.sendsEarlyAudio()
    await exchange.seconds(5)
    exchange.ringing[0]?.answers()
    await exchange.seconds(120)
    for (const leg of exchange.telephony.alive) leg.hangsUp()
    return []
  },
  'two people outside are called, one after the other, and talk': async (exchange, ada) => {
    const input = { caller: mobile, callee: outsideNumber, deviceId: ada.deviceId }
    await orderCall(exchange, ada, input).catch((error: unknown) => exchange.failures.push(error))
    for (let people = 0; people < 2; people++) {
      exchange.ringing[0]?.rings()
      await exchange.seconds(10)
      exchange.ringing[0]?.answers()
      await exchange.rest()
    }
    await exchange.seconds(60)
    for (const leg of exchange.telephony.alive) leg.hangsUp()
    return []
  },
  'a colleague who is a transfer target does not answer': async (exchange, ada) => {
    const { accountId, line } = ada
    const input = { caller: line, callee: await exchange.store.write((tables) => exchange.addDevice(tables, accountId, ada.userId)) }
    await orderCall(exchange, ada, input).catch((error: unknown) => exchange.failures.push(error))
    exchange.ringing[0]?.answers()
    await exchange.seconds(70)
    return []
  },
  "the account's own software leads a caller through a menu": async (exchange, ada, _assistant, guide) => {
    const menu = gather({ play: 'https://c.example/menu.wav' })
    guide.says(ada, saying({ kind: 'play', url: 'https://c.example/hello.wav' }), saying(menu), saying(dial([mobile, outsideNumber])))
    const caller = await exchange.callFrom(ada, ada.line)
    await exchange.seconds(3)
    caller.presses('1')
    await exchange.rest()
    exchange.ringing[0]?.rings()
    exchange.ringing[0]?.answers()
    await exchange.seconds(70)
    caller.hangsUp()
    return [caller]
  },
}

/** Each call the webhook follows gets exactly one hangup notification. */
const toldOnce = async (exchange: Exchange, { asked }: ScriptedGuide, what: string): Promise<void> => {
  const ended = (await notifications(exchange)).filter(({ event }) => event === 'hangup').map(({ callId }) => callId)
  assert.equal(ended.length, asked.length, what)
  assert.deepEqual(new Set(ended), new Set(asked.map(({ callId }) => callId)), what)
}

/** A message the user left in their own account. */
const isBesideItsCall = ({ type, sessionId }: HistoryEntry, _index: number, all: readonly HistoryEntry[]): boolean =>
  type === 'VOICEMAIL' && all.some((other) => other.type === 'CALL' && other.sessionId === sessionId)

/** After any failure: every leg has ended, no timer is left, and every started call ended once and is in the history once. */
const play = async (store: Store, scene: Scene, failAt: number, loseAnswer: boolean): Promise<{ asked: string[]; reasons: unknown[] }> => {
  const assistant = new ScriptedAssistant()
  const guide = new ScriptedGuide()
  const exchange = new Exchange(store, assistant, guide)
  const customer = await exchange.newCustomer()
  Object.assign(exchange.outside, { failAt, loseAnswer })
  const callers = await scene(exchange, customer, assistant, guide)
  await exchange.seconds(180)
  const asked = exchange.outside.asked.slice()
  exchange.outside.failAt = undefined
  const what = `${failAt}: ${asked[failAt - 1]}`

  for (const leg of [...callers, ...exchange.telephony.called]) assert.ok(leg.over, `a leg is left alone after ${what} ${leg.log.join()}`)
  assert.equal(exchange.callRouter.size, 0, what)
  await exchange.close()
  const started = exchange.changes.filter(([change]) => change === 'started').map(([, { callId }]) => callId)
  const ended = exchange.changes.filter(([change]) => change === 'ended').map(([, { callId }]) => callId)
  assert.deepEqual(new Set(ended), new Set(started), what)
  assert.equal(ended.length, started.length, what)
  const history = await exchange.history(customer)
  const entries = history.map(({ sessionId }) => sessionId)
  assert.equal(new Set(entries).size, entries.length - history.filter(isBesideItsCall).length, what)
  for (const [change, { callId, accountIds }] of exchange.changes)
    if (change === 'ended') assert.equal(entries.includes(callId), accountIds.includes(customer.accountId), what)
  await toldOnce(exchange, guide, what)
  await settled(exchange, customer, what)
  const noFault = asked[failAt - 1]?.startsWith('leg.hold') // a phone may reject hold
  if (failAt <= asked.length && !noFault) assert.ok(exchange.failures.length > 0, `${what} was kept quiet`)
  return { asked, reasons: exchange.changes.map(([, { end }]) => end?.reason) }
}

/** A reservation whose database reply was lost is released by its job. */
const settled = async (exchange: Exchange, { accountId }: Customer, what: string): Promise<void> => {
  const expire = moneyJobs(exchange.store, exchange.clock)['reservation.expire'] ?? assert.fail()
  await exchange.clock.jump(600_000)
  const calls = new Set(exchange.changes.map(([, { callId }]) => callId))
  for (const sessionId of [...calls].flatMap((id) => [id, `${id}.2`, `${id}.3`]))
    await expire({ accountId, sessionId }, { id: '', kind: '', payload: {}, attempts: 1 })
  assert.equal((await exchange.store.read.balances.find(accountId))?.reserved, 0, what)
}

const everyFailure = async (t: TestContext, scene: Scene): Promise<void> => {
  const store = await openTestStore(t, 'sqlite')
  await new Exchange(store, new ScriptedAssistant()).addTrunk()
  let asked: string[] = Array.from({ length: 10 })
  const reasons = new Set<unknown>()
  for (let failAt = 1; failAt <= asked.length + 1; failAt++) {
    const played = await play(store, scene, failAt, false)
    for (const reason of played.reasons) reasons.add(reason)
    asked = played.asked
  }
  assert.ok(reasons.has('service_failure'))
  for (const [index, what] of asked.entries()) if (what === 'write') await play(store, scene, index + 1, true)
}

for (const [name, scene] of Object.entries(scenes)) test(`cleans up when any one request fails: ${name}`, (t) => everyFailure(t, scene))
