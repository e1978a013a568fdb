import { Problem } from '@offhook/contract/problem.ts'
import type { RunningCall } from '#core/telephone/call/state/calls.ts'
import { transferCall } from '#core/telephone/call/control/control-call.ts'
import type { IncomingCall } from '#core/kernel/ports/telephony.ts'
import { adminOf } from './flow-calls.ts'
import type { Customer, Exchange } from './scripted-exchange.ts'
import type { ScriptedLeg } from '../ports/scripted-leg.ts'

/** Two who talk, and the call as the customer controls it. */
export interface Talk {
  caller: ScriptedLeg
  phone: ScriptedLeg
  callId: string
  call: RunningCall
}

/** The call that began last. */
export const talkOf = (exchange: Exchange, customer: Customer, caller: ScriptedLeg, phone: ScriptedLeg): Talk => {
  const callId = exchange.changes.findLast(([what]) => what === 'started')?.[1].callId ?? ''
  return { caller, phone, callId, call: exchange.calls.get(adminOf(customer), callId) }
}

/** A stranger talks to the customer's phone, for ten seconds already. */
export const talking = async (exchange: Exchange, customer: Customer, more: Partial<IncomingCall> = {}): Promise<Talk> => {
  const caller = await exchange.callIn(customer.number, more)
  const { phone } = exchange
  phone.answers()
  await exchange.seconds(10)
  return talkOf(exchange, customer, caller, phone)
}

/** A call that is not answered stays so. */
export const withoutVoicemail = ({ store }: Exchange, { accountId, line }: Customer): Promise<void> =>
  store.write(async (tables) => {
    const [voicemail] = await tables.voicemails.listByOwner(accountId, line)
    await tables.voicemails.update(accountId, voicemail?.id ?? '', { active: false })
  })

/** A transfer that was asked for: `pending`, `done`, or the code of what is wrong. */
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
