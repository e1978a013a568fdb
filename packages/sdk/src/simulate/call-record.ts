import type { Action, ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { ScenarioMoment } from '@offhook/contract/assistant/scenario.ts'

export interface Deed {
  turn: number
  action: Action
  /** Ignored because it came too late. */
  discarded?: true
}

export interface Problem {
  turn: number
  message: string
}

/** Record of a call in order, and of the part since the caller's last step. */
export class CallRecord {
  readonly moments: ScenarioMoment[] = []
  /** Every action as received. */
  readonly deeds: Deed[] = []
  /** Protocol violations of the endpoint. */
  readonly problems: Problem[] = []
  /** Milliseconds from the caller's words to the first words of the answer. */
  firstWordsMs: number | undefined
  /** The same of every sentence that was answered. */
  readonly responsesMs: number[] = []
  #sinceMoment = 0
  #sinceDeed = 0

  /** Starts a new step of the caller. */
  asked(moment: ScenarioMoment): void {
    this.moments.push(moment)
    this.#sinceMoment = this.moments.length
    this.#sinceDeed = this.deeds.length
    this.firstWordsMs = undefined
  }

  /** The first words of an answer; later ones are ignored. */
  answers(afterMs: number): void {
    if (this.firstWordsMs !== undefined) return
    this.firstWordsMs = afterMs
    if (this.question?.text !== undefined) this.responsesMs.push(Math.round(afterMs))
  }

  /** Since the caller’s last step. */
  get recent(): { moments: ScenarioMoment[]; actions: Action[] } {
    const done = this.deeds.slice(this.#sinceDeed).filter(({ discarded }) => !discarded)
    return { moments: this.moments.slice(this.#sinceMoment), actions: done.map(({ action }) => action) }
  }

  /** The caller's last step. */
  get question(): ScenarioMoment | undefined {
    return this.moments[this.#sinceMoment - 1]
  }
}

/** Transcript form of an action; undefined for speech and actions without interest there. */
export const actionOf = (action: Action): string | undefined => {
  if (action.type === 'speak' || action.type === 'audio' || action.type === 'done') return undefined
  if (action.type === 'note') return action.name === 'tool' ? `tool (${toolOf(action)})` : undefined
  const detail = detailOf(action)
  return detail === undefined ? action.type : `${action.type} (${detail})`
}

const detailOf = (action: Action): string | undefined => {
  if (action.type === 'transfer') return action.target
  if (action.type === 'send_dtmf') return action.digits
  if (action.type === 'recording') return action.paused ? 'paused' : 'resumed'
  return action.type === 'result' ? action.outcome : undefined
}

/** The name of a tool, from the note about its use. */
export const toolOf = ({ data }: ActionOf<'note'>): string => {
  const { name } = (data ?? {}) as { name?: unknown }
  return typeof name === 'string' ? name : '?'
}
