import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'

type Bare<E> = E extends unknown ? Omit<E, 'callId' | 'sequence' | 'at' | 'flowId'> : never

/** What is noted in a timeline; where, when and its place are added there. */
export type TimelineEvent = Bare<TimelineEntry>

/** An entry, and its text, which is made once however many want it, and not at all when it is neither kept nor watched. */
export class Noted {
  readonly entry: TimelineEntry
  #text: string | undefined

  constructor(entry: TimelineEntry) {
    this.entry = entry
  }

  get text(): string {
    return (this.#text ??= JSON.stringify(this.entry))
  }

  /** Only shown to watchers: the final one follows. */
  get passing(): boolean {
    return this.entry.kind === 'heard' && !this.entry.final
  }

  /** About: characters, most of which are one byte. */
  get bytes(): number {
    return this.text.length
  }
}
