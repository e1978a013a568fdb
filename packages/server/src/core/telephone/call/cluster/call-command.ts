import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { announceInCall, transferCall, type Transfer } from '../control/control-call.ts'
import type { Calls, CallStatus } from '../state/calls.ts'
import type { ErrorCode } from '@offhook/contract/errors.ts'
import { Problem, type ProblemOptions } from '@offhook/contract/problem.ts'
import { storeProblem } from '#core/kernel/store-problem.ts'

/** User command for a running call; sent between nodes unchanged. */
export type CallCommand =
  | { op: 'hold' | 'mute' | 'pauseRecording'; value: boolean }
  | { op: 'record'; value: boolean; announcement: boolean }
  | { op: 'dtmf'; sequence: string }
  | { op: 'announce'; url: string }
  | ({ op: 'transfer' } & Transfer)
  | { op: 'hangUp' }

export interface CommandDeps {
  store: Store
  /** Calls of this node. */
  calls: Calls
  outbound: OutboundHttp
}

/** Runs a command on a call of this node. Throws a Problem when the caller has no access or the command is impossible. */
export const carryOut = async (deps: CommandDeps, caller: UserCaller, callId: string, command: CallCommand): Promise<void> => {
  const { store, calls, outbound } = deps
  switch (command.op) {
    case 'hold':
      return calls.getEstablished(caller, callId).hold(command.value)
    case 'mute':
      return calls.getEstablished(caller, callId).mute(command.value)
    case 'record':
      return calls.getEstablished(caller, callId).record(command.value, { announcement: command.announcement })
    case 'pauseRecording':
      return calls.getEstablished(caller, callId).pauseRecording(command.value)
    case 'dtmf':
      return calls.getEstablished(caller, callId).sendDtmf(command.sequence)
    case 'announce':
      return announceInCall(calls, outbound, { user: caller, callId, url: command.url })
    case 'transfer':
      return transferCall(store, calls, caller, callId, command)
    case 'hangUp':
      return calls.get(caller, callId).hangUp()
  }
}

/** Milliseconds the owning node may take: slightly more than its own maximum. */
export const longestMs: Record<CallCommand['op'], number> = {
  hold: 25_000,
  mute: 25_000,
  record: 55_000,
  pauseRecording: 25_000,
  dtmf: 45_000,
  announce: 90_000,
  transfer: 60_000,
  hangUp: 10_000,
}

/** Result of a request to another node. */
export type Outcome<T> = { done: T } | { problem: { code: ErrorCode; message: string; options: ProblemOptions } }

/** `onFault`: called on an internal error; the requester only gets `internal_error`. */
export const outcomeOf = async <T>(work: () => Promise<T>, onFault: (error: unknown) => void): Promise<Outcome<T>> => {
  try {
    return { done: await work() }
  } catch (error) {
    const known = error instanceof Problem ? error : storeProblem(error)
    if (!known) onFault(error)
    const { code, message, details, retryAfter } = known ?? new Problem('internal_error')
    return { problem: { code, message, options: { ...(details && { details }), ...(retryAfter !== undefined && { retryAfter }) } } }
  }
}

/** Returns the result, or throws the other node's Problem as if it had occurred here. */
export const doneOrThrow = <T>(outcome: Outcome<T>): T => {
  if (!('problem' in outcome)) return outcome.done
  const { code, message, options } = outcome.problem
  throw new Problem(code, message, options)
}

/** Every node answers this subject. */
export const listSubject = 'calls.list'

export interface ListedCalls {
  owner: string
  calls: { callId: string; epoch: number; status: CallStatus }[]
}

/** The caller's calls on this node. */
export const listed = (calls: Calls, owner: string, caller: UserCaller): ListedCalls => ({
  owner,
  calls: calls.list(caller).map((call) => ({ callId: call.callId, epoch: call.epoch ?? 0, status: call.status() })),
})

/** Answered by the node that owns the call. Undefined: not a valid call name. */
export const callSubject = (name: string): string | undefined => (/^[\w-]{1,64}$/.test(name) ? `call.${name}` : undefined)

/** Answered by the owner for all its calls. */
export const ownerSubject = (owner: string): string => `calls.of.${owner}`

export interface CallQuestion {
  caller: UserCaller
  callId: string
  /** Without a command, the request only looks up the call and its callId. */
  command?: CallCommand
  /** Wall-clock deadline: a node that wakes up later does nothing, because the requester has given up. */
  until: number
}
