import assert from 'node:assert/strict'
import type { Cause } from '#core/kernel/ports/telephony.ts'
import { addFlow } from './flow-calls.ts'
import type { ScriptedAssistant } from './scripted-assistant.ts'
import { aNumber, type Customer, type Exchange } from './scripted-exchange.ts'
import { orderCall } from './scripted-order.ts'
import type { ScriptedLeg } from '../ports/scripted-leg.ts'
import { talking, transferring, withoutVoicemail, type Talk } from './transfers.ts'

export const mobile = '+4915112345678'

/** Ada (w0 with p0, v0, e0) and her colleague Cleo (w1 with p1, v1, e1, extension 44) in one account, Bob in another one. */
export interface Cast {
  exchange: Exchange
  assistant: ScriptedAssistant
  ada: Customer
  cleo: Customer
  bob: Customer
}

export type Act = (cast: Cast) => unknown

export const newColleague = (exchange: Exchange, { accountId, number }: Customer): Promise<Customer> =>
  exchange.store.write(async (tables) => {
    const userId = await exchange.addUser(tables, accountId)
    const [line] = await tables.phonelines.list(accountId, userId)
    assert.ok(line)
    const { e164: _none, ...quickDial } = aNumber('')
    await tables.numbers.insert(accountId, { ...quickDial, short: '44', type: 'QUICKDIAL', endpointId: line.id })
    return { accountId, userId, line: line.id, number, deviceId: await exchange.addDevice(tables, accountId, userId) }
  })

const nothing: Act = () => {}

export const forward = ({ store }: Exchange, { accountId, line }: Customer, destination: string): Promise<void> =>
  store.write((tables) => tables.phonelines.replaceForwardings(accountId, line, [{ destination, timeout: 0, active: true }]))

export const forwards =
  (destination: string): Act =>
  ({ exchange, ada }) =>
    forward(exchange, ada, destination)

export const absent =
  (who: 'ada' | 'cleo'): Act =>
  ({ exchange, [who]: { accountId, deviceId } }) =>
    exchange.telephony.register(accountId, deviceId, 0)

/** The ringing phone answers, and talks for this long. */
export const pickedUp = async (exchange: Exchange, seconds: number): Promise<void> => {
  exchange.phone.answers()
  await exchange.seconds(seconds)
}

/** An external caller calls the number and talks for this long. */
export const arrives =
  (seconds: number, before = nothing): Act =>
  async (cast) => {
    await before(cast)
    const caller = await cast.exchange.callIn(cast.ada.number)
    await pickedUp(cast.exchange, seconds)
    caller.hangsUp()
  }

/** The same, but no phone answers. */
export const waits =
  (seconds: number, before = nothing): Act =>
  async (cast) => {
    await before(cast)
    const caller = await cast.exchange.callIn(cast.ada.number)
    await cast.exchange.seconds(seconds)
    caller.hangsUp()
  }

export const refused =
  (cause: Cause): Act =>
  async ({ exchange, ada }) => {
    await withoutVoicemail(exchange, ada)
    await exchange.callIn(ada.number)
    exchange.phone.refuses(cause)
  }

/** Ada calls; no phone answers. */
export const calls =
  (dialled: string, seconds: number, before = nothing): Act =>
  async (cast) => {
    await before(cast)
    const caller = await cast.exchange.callFrom(cast.ada, dialled)
    await cast.exchange.seconds(seconds)
    caller.hangsUp()
  }

/** Ada answers, then the callee. */
export const ordered =
  (callee: string, then: Act): Act =>
  async (cast) => {
    await orderCall(cast.exchange, cast.ada, { callee })
    const caller = cast.exchange.phone
    await pickedUp(cast.exchange, 0)
    await then(cast)
    caller.hangsUp()
  }

/** An external caller talks with Ada for ten seconds, then with another party. */
export const forwarded =
  (seconds: number, hand: (cast: Cast, talk: Talk) => unknown): Act =>
  async (cast) => {
    const talk = await talking(cast.exchange, cast.ada)
    hand(cast, talk)
    await cast.exchange.rest()
    await pickedUp(cast.exchange, seconds)
    talk.caller.hangsUp()
  }

export const toVoicemail =
  (seconds: number): Act =>
  async (cast) => {
    absent('cleo')(cast)
    const { caller, phone } = await talking(cast.exchange, cast.ada)
    phone.asksTransfer({ dialled: '44' })
    await cast.exchange.seconds(seconds)
    caller.hangsUp()
  }

export const consulted =
  (whom: (cast: Cast) => string): Act =>
  async (cast) => {
    const { exchange, ada } = cast
    const { caller, callId, phone } = await talking(exchange, ada)
    transferring(exchange, ada, callId, { phoneNumber: whom(cast), attended: true })
    await exchange.rest()
    await pickedUp(exchange, 5)
    phone.hangsUp()
    await exchange.seconds(20)
    caller.hangsUp()
  }

export const passedOnByAssistant = async ({ exchange, assistant, ada, cleo }: Cast): Promise<ScriptedLeg> => {
  await addFlow(exchange, ada, { transferTargets: [cleo.line] })
  const caller = await exchange.callIn(ada.number)
  await exchange.seconds(12)
  void assistant.call.transfer(cleo.line, {})
  await exchange.rest()
  return caller
}
