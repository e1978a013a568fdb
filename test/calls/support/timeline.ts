import type { CallModel } from '#test/call-model/call-model.ts'
import { speaks } from '#test/call-model/model-types.ts'

interface Moment {
  from: number
  /** Names of the audible parties; undefined while something was changing. */
  speaking: ReadonlySet<string> | undefined
  /** Parties whose audibility is unknown, because they send although they hold. */
  unsure: ReadonlySet<string>
  /** Number of the running recording of each account. */
  recording: ReadonlyMap<string, number>
}

/** Minimum and maximum time that a party speaks in a recording. */
export interface Span {
  min: number
  most: number
}

/** Records which party was audible and recorded when, to compare with the recording files. */
export class Timeline {
  readonly #moments: Moment[] = []

  /** State is uncertain until the next `note`. */
  changing(): void {
    const last = this.#moments.at(-1)
    this.#add({ speaking: undefined, unsure: new Set(), recording: last?.recording ?? new Map<string, number>() })
  }

  /** Records the current state. */
  note(model: CallModel, rude: (name: string) => boolean): void {
    const names = (parties: typeof model.parties): Set<string> => new Set(parties.map(({ name }) => name))
    const speaking = names(model.over ? [] : model.parties.filter(speaks))
    const unsure = names(model.parties.filter(({ name, holds, muted, held }) => holds && !muted && !held && rude(name)))
    const running = model.over ? [] : [...model.recording].map((account) => [account, model.recordings.get(account) ?? 0] as const)
    this.#add({ speaking, unsure, recording: new Map(running) })
  }

  /** Seconds in the account's recording with this number, counted from 1. */
  spoken(account: string, recording: number, name: string): Span {
    const span = { min: 0, most: 0 }
    this.#moments.forEach((moment, place) => {
      const next = this.#moments[place + 1]
      if (!next) return
      const seconds = (next.from - moment.from) / 1000
      const near = [moment, next].some((one) => one.recording.get(account) === recording)
      const may = moment.speaking === undefined || moment.speaking.has(name) || moment.unsure.has(name)
      if (near && may) span.most += seconds
      if (moment.recording.get(account) === recording && moment.speaking?.has(name)) span.min += seconds
    })
    return span
  }

  #add(moment: Omit<Moment, 'from'>): void {
    this.#moments.push({ from: performance.now(), ...moment })
  }
}
