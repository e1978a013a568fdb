import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { notificationKind, type CallNotification } from '#core/telephone/push/notifications.ts'
import type { CallGuide, CallGuidance, DescribableCall, Verb } from '#core/kernel/ports/calls.ts'
import type { Exchange } from './scripted-exchange.ts'

/** Answer that the test controls. */
export interface Pending {
  answer: (guidance: CallGuidance | undefined) => void
  signal: AbortSignal
}

type Answer = CallGuidance | 'later' | Error

/** Scripted answers of accounts' own software. An account without answers is not asked. */
export class ScriptedGuide implements CallGuide {
  /** Requests in order. */
  readonly asked: DescribableCall[] = []
  /** Keys of every Gather. */
  readonly pressed: string[] = []
  /** Requests waiting for an answer. */
  readonly pending: Pending[] = []
  readonly #answers = new Map<string, Answer[]>()

  /** Answers in order; after the last one the account ignores calls. */
  says({ accountId }: { accountId: string }, ...answers: Answer[]): void {
    this.#answers.set(accountId, [...(this.#answers.get(accountId) ?? []), ...answers])
  }

  listens(accountId: string): Promise<boolean> {
    return Promise.resolve(this.#says(accountId))
  }

  begin(call: DescribableCall, signal: AbortSignal): Promise<CallGuidance | undefined> {
    if (!this.#says(call.accountId)) return Promise.resolve(undefined)
    this.asked.push(call)
    return this.#next(call, signal)
  }

  keys(call: DescribableCall, { digits }: { digits: string }, signal: AbortSignal): Promise<CallGuidance | undefined> {
    this.pressed.push(digits)
    return this.#next(call, signal)
  }

  /** Only URLs that end in .wav have a sound: as long as the URL. */
  sound(_call: DescribableCall, url: string): Promise<Uint8Array | undefined> {
    return Promise.resolve(url.endsWith('.wav') ? new Uint8Array(url.length) : undefined)
  }

  #says(accountId: string): boolean {
    return (this.#answers.get(accountId)?.length ?? 0) > 0
  }

  #next({ accountId }: DescribableCall, signal: AbortSignal): Promise<CallGuidance | undefined> {
    const answer = this.#answers.get(accountId)?.shift()
    if (answer instanceof Error) return Promise.reject(answer)
    if (answer !== 'later') return Promise.resolve(answer)
    const { promise, resolve } = Promise.withResolvers<CallGuidance | undefined>()
    this.pending.push({ answer: resolve, signal })
    return promise
  }
}

/** Subscribes to all events. */
export const followed = { onAnswer: 'https://c.example/answer', onHangup: 'https://c.example/hangup' }

export const saying = (verb?: Verb, more: Partial<CallGuidance> = followed): CallGuidance => ({
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

/** Notifications to accounts since the previous call, with their fields. */
export const notifications = async ({ store, clock }: { store: Store; clock: Clock }): Promise<Record<string, string>[]> => {
  const due = await store.write(({ outbox }) => outbox.lease([notificationKind], clock.now(), 100, 24 * 60 * 60 * 1000))
  return due.map(({ payload }) => Object.fromEntries(new URLSearchParams((payload as CallNotification).body)))
}

/** Event and cause of each notification. */
export const events = async (of: { store: Store; clock: Clock }): Promise<string[]> =>
  (await notifications(of)).map(({ event, cause }) => (cause === undefined ? `${event}` : `${event} ${cause}`)).toSorted()

/** The only history entry of an account. */
export const outcome = async (exchange: Exchange, of: { accountId: string }) => {
  const { status, detail, direction } = await exchange.entry(of)
  return [direction, status, detail.callStatus]
}
