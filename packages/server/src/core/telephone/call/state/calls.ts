import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { WavSound } from '#core/kernel/ports/telephony.ts'
import type { TransferRequest } from './transfer-wish.ts'

export interface Participant {
  participantId: string
  /** E.164; empty when it is withheld or there is none. */
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
  /** Who takes part in it, and whose extension was called or calls: they may control it. */
  readonly userIds: readonly string[]
  /** False while it still rings, and while only a voicemail or a program has it. */
  readonly established: boolean
  /** How often it went over to another process. */
  readonly epoch?: number
  status(): CallStatus
  hold(value: boolean): Promise<void>
  mute(value: boolean): Promise<void>
  transfer(input: Omit<TransferRequest, 'accountId'>): Promise<void>
  record(value: boolean, options: { announcement: boolean }): Promise<void>
  sendDtmf(sequence: string): Promise<void>
  /** Resolves when all parties hear it. */
  announce(fetch: () => Promise<WavSound>): Promise<void>
  hangUp(): Promise<void>
}

/** Hears under which names calls can be found here: their callIds, and what accounts call them besides. */
export interface NameObserver {
  known(name: string): void
  unknown(name: string): void
}

/** The calls that run in this process right now, entered once for every account that they concern. */
export class Calls {
  readonly #names: NameObserver | undefined
  /** By callId, then by account. */
  readonly #running = new Map<string, Map<string, RunningCall>>()
  /** Other names of them: `<account>/<name>` to callId … */
  readonly #named = new Map<string, string>()
  /** … and back. */
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

  /** The account also knows it by this name as long as it lasts. */
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

  /** Whether it runs in this process, whoever asks. */
  has(accountId: string, callId: string): boolean {
    return this.#running.has(callId) || this.#named.has(`${accountId}/${callId}`)
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

  /** Undefined also when it is none of the caller's. */
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

  /** A call that still rings can be ended, but nothing else. */
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

const mayControl = (caller: UserCaller, call: RunningCall): boolean => caller.admin || call.userIds.includes(caller.userId)
