import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { notificationKind, type CallNotification } from '#core/telephone/push/notifications.ts'
import type { CallGuide, Guidance, TellableCall, Verb } from '#core/kernel/ports/call-guide.ts'
import type { Exchange } from './scripted-exchange.ts'

/** An answer that comes when the test says so. */
export interface Pending {
  answer: (guidance: Guidance | undefined) => void
  signal: AbortSignal
}

type Answer = Guidance | 'later' | Error

/** What accounts' own software says, account by account, answer by answer. An account that says nothing is not asked. */
export class ScriptedGuide implements CallGuide {
  /** Everything that was asked, in order. */
  readonly asked: TellableCall[] = []
  /** The keys of every Gather. */
  readonly pressed: string[] = []
  /** Questions that wait for an answer. */
  readonly pending: Pending[] = []
  readonly #answers = new Map<string, Answer[]>()

  /** In this order; after the last one the account does not want to hear of calls. */
  says({ accountId }: { accountId: string }, ...answers: Answer[]): void {
    this.#answers.set(accountId, [...(this.#answers.get(accountId) ?? []), ...answers])
  }

  listens(accountId: string): Promise<boolean> {
    return Promise.resolve(this.#says(accountId))
  }

  begin(call: TellableCall, signal: AbortSignal): Promise<Guidance | undefined> {
    if (!this.#says(call.accountId)) return Promise.resolve(undefined)
    this.asked.push(call)
    return this.#next(call, signal)
  }

  keys(call: TellableCall, { digits }: { digits: string }, signal: AbortSignal): Promise<Guidance | undefined> {
    this.pressed.push(digits)
    return this.#next(call, signal)
  }

  /** Only addresses that end in .wav have a sound: as long as the address. */
  sound(_call: TellableCall, url: string): Promise<Uint8Array | undefined> {
    return Promise.resolve(url.endsWith('.wav') ? new Uint8Array(url.length) : undefined)
  }

  #says(accountId: string): boolean {
    return (this.#answers.get(accountId)?.length ?? 0) > 0
  }

  #next({ accountId }: TellableCall, signal: AbortSignal): Promise<Guidance | undefined> {
    const answer = this.#answers.get(accountId)?.shift()
    if (answer instanceof Error) return Promise.reject(answer)
    if (answer !== 'later') return Promise.resolve(answer)
    const { promise, resolve } = Promise.withResolvers<Guidance | undefined>()
    this.pending.push({ answer: resolve, signal })
    return promise
  }
}

/** Wants to be told everything. */
export const followed = { onAnswer: 'https://c.example/answer', onHangup: 'https://c.example/hangup' }

export const saying = (verb?: Verb, more: Partial<Guidance> = followed): Guidance => ({
  verb,
  onAnswer: undefined,
  onHangup: undefined,
  ...more,
})

export const dial = (numbers: readonly string[], more: Partial<Verb & { kind: 'dial' }> = {}): Verb => ({
  kind: 'dial',
  numbers,
  voicemail: false,
  callerId: undefined,
  anonymous: false,
  ...more,
})

export const gather = (more: Partial<Verb & { kind: 'gather' }> = {}): Verb => ({
  kind: 'gather',
  onData: 'https://c.example/keys',
  maxDigits: 1,
  timeoutMs: 2_000,
  play: undefined,
  ...more,
})

/** What accounts were told since the last time, each with its fields. */
export const notifications = async ({ store, clock }: { store: Store; clock: Clock }): Promise<Record<string, string>[]> => {
  const due = await store.write(({ outbox }) => outbox.lease([notificationKind], clock.now(), 100, 24 * 60 * 60 * 1000))
  return due.map(({ payload }) => Object.fromEntries(new URLSearchParams((payload as CallNotification).body)))
}

/** Event and cause of each. */
export const events = async (of: { store: Store; clock: Clock }): Promise<string[]> =>
  (await notifications(of)).map(({ event, cause }) => (cause === undefined ? `${event}` : `${event} ${cause}`)).toSorted()

/** What the only entry in the history of an account says. */
export const outcome = async (exchange: Exchange, of: { accountId: string }) => {
  const { status, detail, direction } = await exchange.entry(of)
  return [direction, status, detail.callStatus]
}
