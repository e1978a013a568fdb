import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { endLostSessionOf, endLostSessions } from '#core/assistant/session/recover.ts'
import { recoverFaxes } from '#core/messages/fax/recover-faxes.ts'
import type { RecoverParts } from '#core/telephone/call/takeover/end-lost-call.ts'
import { recoverAll } from '#core/telephone/call/takeover/recover-calls.ts'
import type { SavedCall } from '#core/kernel/ports/store/call/running-calls.ts'
import type { Database } from '../store/databases.ts'
import { openExchange, outsideNumber, type Customer, type Exchange } from './scripted-exchange.ts'
import type { ScriptedLeg } from '../ports/scripted-leg.ts'

/** Of a call to `stranger`: 0.019 for a minute, 60/60. */
export const price = 190

/** What else is recovered of a process that is gone, as the wiring has it. */
export const lostWithProcess = { alsoEnds: endLostSessionOf, leftovers: [endLostSessions, recoverFaxes] }

export const recoverParts = ({ store, clock, telephony, recordings, failures }: Exchange): RecoverParts => ({
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

/** A customer talks with a stranger. */
export const openTalk = async (t: TestContext, database: Database) => {
  const exchange = await openExchange(t, { database })
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  return { exchange, ada, ...(await talkOutside(exchange, ada)) }
}

/** What is written of the calls of this process. */
export const savedCalls = ({ store, leases }: Exchange): Promise<SavedCall[]> => store.read.runningCalls.listOf(leases.owner, 100)

export const assertNothingLeft = async (exchange: Exchange): Promise<void> => {
  assert.deepEqual(await savedCalls(exchange), [])
  assert.deepEqual(await exchange.store.read.leases.listOthers(''), [])
  assert.deepEqual(exchange.failures, [])
}
