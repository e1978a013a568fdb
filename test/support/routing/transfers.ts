import { Problem } from '@offhook/contract/problem.ts'
import type { RunningCall } from '#core/telephone/call/state/calls.ts'
import { transferCall } from '#core/telephone/call/control/control-call.ts'
import type { IncomingCall } from '#core/kernel/ports/telephony.ts'
import { adminOf } from './flow-calls.ts'
import type { Customer, Exchange } from './scripted-exchange.ts'
import type { ScriptedLeg } from '../ports/scripted-leg.ts'

/** Two connected parties, and the customer's control of the call. */
export interface Talk {
  caller: ScriptedLeg
  phone: ScriptedLeg
  callId: string
  call: RunningCall
}

/** Latest call. */
export const talkOf = (exchange: Exchange, customer: Customer, caller: ScriptedLeg, phone: ScriptedLeg): Talk => {
  const callId = exchange.changes.findLast(([what]) => what === 'started')?.[1].callId ?? ''
  return { caller, phone, callId, call: exchange.calls.get(adminOf(customer), callId) }
}

/** An external caller has talked to the customer's phone for ten seconds. */
export const talking = async (exchange: Exchange, customer: Customer, more: Partial<IncomingCall> = {}): Promise<Talk> => {
  const caller = await exchange.callIn(customer.number, more)
  const { phone } = exchange
  phone.answers()
  await exchange.seconds(10)
  return talkOf(exchange, customer, caller, phone)
}

/** Turns voicemail off, so that an unanswered call stays unanswered. */
export const withoutVoicemail = ({ store }: Exchange, { accountId, line }: Customer): Promise<void> =>
  store.write(async (tables) => {
    const [voicemail] = await tables.voicemails.listByOwner(accountId, line)
    await tables.voicemails.update(accountId, voicemail?.id ?? '', { active: false })
  })

/** Requested transfer: `pending`, `done`, or an error code. */
export interface Asked {
  state: string
  words: string
}

export const transferring = (
  { watched: store, calls, failures }: Exchange,
  customer: Customer,
  callId: string,
  input: { phoneNumber: string; attended?: boolean; callerId?: string },
): Asked => {
  const asked: Asked = { state: 'pending', words: '' }
  transferCall(store, calls, adminOf(customer), callId, { attended: false, ...input }).then(
    () => (asked.state = 'done'),
    (error: unknown) => {
      if (!(error instanceof Problem)) failures.push(error)
      asked.state = error instanceof Problem ? error.code : String(error)
      asked.words = error instanceof Error ? error.message : ''
    },
  )
  return asked
}
