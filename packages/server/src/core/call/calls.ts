import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '../identity/caller.ts'

export interface Participant {
  participantId: string
  /** Empty when it is withheld. */
  phoneNumber: string
  muted: boolean
  hold: boolean
  /** Belongs to the account. */
  owner: boolean
}

export interface CallStatus {
  callId: string
  muted: boolean
  recording: boolean
  hold: boolean
  participants: Participant[]
}

/** A call while it lasts, with what can be done to it. */
export interface RunningCall {
  readonly callId: string
  readonly accountId: string
  /** Who takes part in it. */
  readonly userIds: readonly string[]
  /** False while it still rings. */
  readonly established: boolean
  status(): CallStatus
  hold(value: boolean): Promise<void>
  mute(value: boolean): Promise<void>
  /** `to` is E.164. */
  transfer(to: string, options: { attended: boolean; callerId: string | undefined }): Promise<void>
  record(value: boolean, options: { announcement: boolean }): Promise<void>
  sendDtmf(sequence: string): Promise<void>
  announce(url: string): Promise<void>
  hangUp(): Promise<void>
}

/** The calls that run in this process right now. Whoever carries a call enters it once for every account that it concerns. */
export class Calls {
  /** By callId, then by account. */
  readonly #running = new Map<string, Map<string, RunningCall>>()

  enter(call: RunningCall): void {
    const views = this.#running.get(call.callId) ?? new Map<string, RunningCall>()
    this.#running.set(call.callId, views.set(call.accountId, call))
  }

  leave(callId: string): void {
    this.#running.delete(callId)
  }

  /** It goes on, but this account has nothing to do with it any more. */
  hide(callId: string, accountId: string): void {
    this.#running.get(callId)?.delete(accountId)
  }

  /** Established calls of the caller; an administrator sees those of the whole account. */
  list(caller: UserCaller): RunningCall[] {
    return [...this.#running.values()].flatMap((views) => {
      const call = views.get(caller.accountId)
      return call?.established && mayControl(caller, call) ? [call] : []
    })
  }

  get(caller: UserCaller, callId: string): RunningCall {
    const call = this.#running.get(callId)?.get(caller.accountId)
    if (!call || !mayControl(caller, call)) throw new Problem('call_not_found')
    return call
  }

  /** A call that still rings can be ended, but nothing else. */
  getEstablished(caller: UserCaller, callId: string): RunningCall {
    const call = this.get(caller, callId)
    if (!call.established) throw new Problem('call_not_in_state')
    return call
  }
}

const mayControl = (caller: UserCaller, call: RunningCall): boolean => caller.admin || call.userIds.includes(caller.userId)
