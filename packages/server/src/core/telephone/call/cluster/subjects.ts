import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { Calls, CallStatus } from '../state/calls.ts'
import type { CallCommand } from './call-command.ts'

/** Every process answers it. */
export const listSubject = 'calls.list'

export interface ListedCalls {
  owner: string
  calls: { callId: string; epoch: number; status: CallStatus }[]
}

/** What this process has for the caller. */
export const listed = (calls: Calls, owner: string, caller: UserCaller): ListedCalls => ({
  owner,
  calls: calls.list(caller).map((call) => ({ callId: call.callId, epoch: call.epoch ?? 0, status: call.status() })),
})

/** The process that has the call answers it. Undefined: no call of ours is called so. */
export const callSubject = (name: string): string | undefined => (/^[\w-]{1,64}$/.test(name) ? `call.${name}` : undefined)

/** The same for all calls of one process. */
export const ownerSubject = (owner: string): string => `calls.of.${owner}`

export interface CallQuestion {
  caller: UserCaller
  callId: string
  /** None: the caller wants to know only whether it is there, and its callId. */
  command?: CallCommand
  /** On the wall: who wakes up later does nothing, because nobody waits for it any more. */
  until: number
}
