import { Problem } from '@offhook/contract/problem.ts'
import type { RecordingRule } from '@offhook/contract/v1/settings/recording-rule.ts'
import type { Announce } from './announce.ts'
import type { CallLife } from '../state/call-life.ts'
import type { CallTimeline } from '../records/call-timeline.ts'
import { languageOf } from '../state/account-language.ts'
import type { CallContext } from '../state/call-context.ts'
import type { CallDetails } from '../state/call-details.ts'
import type { Party } from '../state/party.ts'
import { assistantOf } from '../state/assistant-party.ts'

export interface PermissionDeps {
  readonly life: CallLife
  readonly context: Pick<CallContext, 'store' | 'clock'>
  readonly details: Pick<CallDetails, 'sides'>
  readonly timeline: Pick<CallTimeline, 'note'>
  readonly parties: () => readonly Party[]
  readonly announce: Announce
}

/** Asks for consent by other means than a prompt and a key. */
export type AskConsent = () => Promise<boolean>

const yes = '1'
/** Milliseconds to answer, from the end of the question. */
const answerMs = 10_000

/** Notice or consent an account owes the other parties before recording, by its own rule and that of its number. */
export class RecordingPermission {
  readonly #deps: PermissionDeps
  readonly #accountId: string
  /** Parties that heard the notice or consented. */
  readonly #settled = new Set<Party>()
  #rule: RecordingRule = 'none'
  #pending: Promise<void> | undefined
  #asking = false

  constructor(deps: PermissionDeps, accountId: string) {
    this.#deps = deps
    this.#accountId = accountId
  }

  /** Rule as of the last request. */
  get rule(): RecordingRule {
    return this.#rule
  }

  /** True while a consent question waits for a key. */
  get asking(): boolean {
    return this.#asking
  }

  /** Marks parties that heard the notice or consented on the previous node. */
  async resume(parties: readonly Party[]): Promise<void> {
    this.#rule = await this.read()
    this.#settle(parties)
  }

  /** A new recording is announced again; consent holds for the whole call. */
  recordingStopped(): void {
    if (this.#rule === 'announce') this.#settled.clear()
  }

  isMissing(others: readonly Party[]): boolean {
    return this.#rule !== 'none' && others.some((party) => !this.#settled.has(party))
  }

  /** Resolves when recording may start; throws a Problem when it may not. `others`: parties outside the account. */
  obtain(others: readonly Party[], ask?: AskConsent): Promise<void> {
    this.#pending ??= this.#obtain(others, ask).finally(() => (this.#pending = undefined))
    return this.#pending
  }

  async #obtain(others: readonly Party[], ask: AskConsent | undefined): Promise<void> {
    this.#rule = await this.read()
    if (!this.isMissing(others)) return
    if (this.#rule === 'announce') await this.#announce()
    else await this.#askFor(others, ask)
  }

  #settle(parties: readonly Party[]): void {
    for (const party of parties) this.#settled.add(party)
  }

  /** Rule currently in force. */
  read(): Promise<RecordingRule> {
    return this.#deps.context.store.read.recordingRules.inForce(this.#accountId, this.#ownNumber())
  }

  /** The account's number that was called, or that is shown as caller ID. */
  #ownNumber(): string | undefined {
    const side = this.#deps.details.sides.find(({ accountId }) => accountId === this.#accountId)
    return side?.direction === 'INCOMING' ? side.target.number : side?.source.number
  }

  async #announce(): Promise<void> {
    const parties = [...this.#deps.parties()]
    const { over } = this.#deps.announce({ prompt: 'recording-notice', language: await this.#language() }, { urgent: true })
    await Promise.race([over, this.#deps.life.over])
    if (this.#deps.life.end) throw new Problem('call_not_in_state')
    this.#settle(parties)
    this.#deps.timeline.note('recording_announced', this.#accountId)
  }

  async #askFor(others: readonly Party[], ask: AskConsent | undefined): Promise<void> {
    const open = others.filter((party) => !this.#settled.has(party))
    const agreed = await Promise.race([ask ? ask() : this.#askByKey(open), this.#deps.life.over.then(() => false)])
    if (this.#deps.life.end) throw new Problem('call_not_in_state')
    this.#deps.timeline.note(agreed ? 'recording_consented' : 'recording_declined', this.#accountId)
    if (!agreed) throw new Problem('recording_declined')
    this.#settle(open)
  }

  /** Plays the question to all; each of `parties` has to press 1. Any other key declines. */
  async #askByKey(parties: readonly Party[]): Promise<boolean> {
    const language = await this.#language()
    const missing = new Set(parties)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const pressed = (party: Party, digit: string): void => {
      if (digit !== yes) return resolve(false)
      missing.delete(party)
      if (missing.size === 0) resolve(true)
    }
    const stops = parties.map((party) => party.leg.observe({ dtmf: (digit) => pressed(party, digit) }))
    const question = this.#deps.announce({ prompt: 'recording-consent', language }, { urgent: true })
    let cancelTimer = (): void => {}
    void question.over.then(() => {
      if (this.#asking) cancelTimer = this.#deps.context.clock.after(answerMs, () => resolve(false))
    })
    this.#asking = true
    try {
      return await Promise.race([promise, this.#deps.life.over.then(() => false)])
    } finally {
      this.#asking = false
      cancelTimer()
      for (const stop of stops) stop()
      question.stop()
    }
  }

  /** Language of the account's assistant if it is in the call, else of the account. */
  async #language(): Promise<string> {
    const assistant = assistantOf(this.#deps.life.callHandler)
    return assistant?.accountId === this.#accountId ? assistant.language : languageOf(this.#deps.context, this.#accountId)
  }
}
