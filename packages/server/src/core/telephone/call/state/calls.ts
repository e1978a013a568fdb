import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { extensionsIn, scopeOf } from '#core/account/identity/caller/grants.ts'
import type { WavSound } from '#core/kernel/ports/audio.ts'
import type { TransferRequest } from './transfer-request.ts'

export interface Participant {
  participantId: string
  /** E.164; empty if withheld or missing. */
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
  /** Silence is recorded at the moment. */
  recordingPaused?: boolean
  hold: boolean
  participants: Participant[]
}

/** A running call and its commands. */
export interface RunningCall {
  readonly callId: string
  readonly accountId: string
  /** Participants, and the owners of the calling or called extension: they may control the call. */
  readonly userIds: readonly string[]
  /** Lines, groups and assistants of the account that took part: roles with a scope name them. */
  readonly extensions: readonly string[]
  /** False while ringing, and while only a voicemail or a webhook handles the call. */
  readonly established: boolean
  /** Number of takeovers. */
  readonly epoch?: number
  status(): CallStatus
  hold(value: boolean): Promise<void>
  mute(value: boolean): Promise<void>
  transfer(input: Omit<TransferRequest, 'accountId'>): Promise<void>
  record(value: boolean, options: { announcement: boolean }): Promise<void>
  pauseRecording(value: boolean): Promise<void>
  sendDtmf(sequence: string): Promise<void>
  /** Resolves when all parties hear it. */
  announce(fetch: () => Promise<WavSound>): Promise<void>
  hangUp(): Promise<void>
}

/** Notified of names of local calls: callIds and the accounts' aliases. */
export interface NameObserver {
  known(name: string): void
  unknown(name: string): void
}

/** Running calls of this node, one entry per involved account. */
export class Calls {
  readonly #names: NameObserver | undefined
  /** Keyed by callId, then by account. */
  readonly #running = new Map<string, Map<string, RunningCall>>()
  /** Aliases: `<account>/<name>` to callId. */
  readonly #named = new Map<string, string>()
  /** Aliases by callId. */
  readonly #aliases = new Map<string, Alias[]>()

  constructor(names?: NameObserver) {
    this.#names = names
  }

  enter(call: RunningCall): void {
    const { callId, accountId } = call
    const present = this.#running.get(callId)
    this.#running.set(callId, (present ?? new Map<string, RunningCall>()).set(accountId, call))
    if (!present) this.#names?.known(callId)
  }

  /** Adds a name for the account while the call lasts. */
  alias(callId: string, accountId: string, name: string): void {
    if (!this.#running.has(callId)) return
    this.#named.set(`${accountId}/${name}`, callId)
    this.#aliases.set(callId, [...(this.#aliases.get(callId) ?? []), { accountId, name }])
    this.#names?.known(name)
  }

  leave(callId: string): void {
    if (this.#running.delete(callId)) this.#names?.unknown(callId)
    for (const { accountId, name } of this.#aliases.get(callId) ?? []) {
      this.#named.delete(`${accountId}/${name}`)
      this.#names?.unknown(name)
    }
    this.#aliases.delete(callId)
  }

  /** True if the call runs on this node; no access check. */
  has(accountId: string, callId: string): boolean {
    return this.#running.has(callId) || this.#named.has(`${accountId}/${callId}`)
  }

  /** The call continues, but the account is no longer involved. */
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

  /** Undefined also when the caller has no access. */
  find(caller: UserCaller, callId: string): RunningCall | undefined {
    const { accountId } = caller
    const call = this.#running.get(this.#named.get(`${accountId}/${callId}`) ?? callId)?.get(accountId)
    return call && mayControl(caller, call) ? call : undefined
  }

  get(caller: UserCaller, callId: string): RunningCall {
    const call = this.find(caller, callId)
    if (!call) throw new Problem('call_not_found')
    return call
  }

  /** A call that still rings can only be ended. */
  getEstablished(caller: UserCaller, callId: string): RunningCall {
    const call = this.get(caller, callId)
    if (!call.established) throw new Problem('call_not_in_state')
    return call
  }
}

interface Alias {
  accountId: string
  name: string
}

const mayControl = (caller: UserCaller, call: RunningCall): boolean => {
  if (caller.admin) return true
  if (caller.grants && !caller.grants.CAN_CONTROL_CALLS) return false
  const scope = scopeOf(caller, 'CAN_CONTROL_CALLS')
  return scope ? extensionsIn(scope).some((id) => call.extensions.includes(id)) : call.userIds.includes(caller.userId)
}
