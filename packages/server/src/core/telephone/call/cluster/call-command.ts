import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound-http.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { announceInCall, transferCall, type Transfer } from '../control/control-call.ts'
import type { Calls } from '../state/calls.ts'

/** What a user wants of a running call. It crosses from one process to another as it is. */
export type CallCommand =
  | { op: 'hold' | 'mute'; value: boolean }
  | { op: 'record'; value: boolean; announcement: boolean }
  | { op: 'dtmf'; sequence: string }
  | { op: 'announce'; url: string }
  | ({ op: 'transfer' } & Transfer)
  | { op: 'hangUp' }

export interface CommandDeps {
  store: Store
  /** Those of this process. */
  calls: Calls
  outbound: OutboundHttp
}

/** For a call of this process. Throws a Problem when it is none of the caller's, or cannot be done. */
export const carryOut = async (deps: CommandDeps, caller: UserCaller, callId: string, command: CallCommand): Promise<void> => {
  const { store, calls, outbound } = deps
  switch (command.op) {
    case 'hold':
      return calls.getEstablished(caller, callId).hold(command.value)
    case 'mute':
      return calls.getEstablished(caller, callId).mute(command.value)
    case 'record':
      return calls.getEstablished(caller, callId).record(command.value, { announcement: command.announcement })
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

/** How long the process that has the call may take: a little more than it takes at most. */
export const longestMs: Record<CallCommand['op'], number> = {
  hold: 25_000,
  mute: 25_000,
  record: 25_000,
  dtmf: 45_000,
  announce: 90_000,
  transfer: 60_000,
  hangUp: 10_000,
}
