import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { endLostSessionOf, endLostSessions } from '#core/assistant/session/write-end.ts'
import { recoverFaxes } from '#core/messages/fax/recover-faxes.ts'
import { type RecoverDeps, recoverAll } from '#core/telephone/call/takeover/end-lost-call.ts'
import type { SavedCall } from '#core/kernel/ports/store/call.ts'
import type { Database } from '../store/databases.ts'
import { openExchange, outsideNumber, type Customer, type Exchange } from './scripted-exchange.ts'
import type { ScriptedLeg } from '../ports/scripted-leg.ts'

/** Price of a call to `stranger`: 0.019 per minute, 60/60. */
export const price = 190

/** Other recovery after a lost process, as in the wiring. */
export const lostWithProcess = { alsoEnds: endLostSessionOf, leftovers: [endLostSessions, recoverFaxes] }

export const recoverParts = ({ store, clock, telephony, recordings, failures }: Exchange): RecoverDeps => ({
  store,
  clock,
  files: recordings,
  sayBye: (dialog) => telephony.sayBye(dialog),
  wake: () => {},
  onFailure: (error) => failures.push(error),
  ...lostWithProcess,
})

/** The process dies, and another one starts on the same database. */
export const restart = async (exchange: Exchange): Promise<void> => {
  exchange.crash()
  await recoverAll(recoverParts(exchange), 'the next run')
}

export const talkOutside = async (exchange: Exchange, customer: Customer): Promise<{ caller: ScriptedLeg; far: ScriptedLeg }> => {
  const caller = await exchange.callFrom(customer, outsideNumber)
  const far = exchange.phone
  far.answers()
  await exchange.rest()
  return { caller, far }
}

/** Customer in a call with an external party. */
export const openTalk = async (t: TestContext, database: Database) => {
  const exchange = await openExchange(t, { database })
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  return { exchange, ada, ...(await talkOutside(exchange, ada)) }
}

/** Stored calls of this process. */
export const savedCalls = ({ store, leases }: Exchange): Promise<SavedCall[]> => store.read.runningCalls.listOf(leases.owner, 100)

export const assertNothingLeft = async (exchange: Exchange): Promise<void> => {
  assert.deepEqual(await savedCalls(exchange), [])
  assert.deepEqual(await exchange.store.read.leases.listOthers(''), [])
  assert.deepEqual(exchange.failures, [])
}
