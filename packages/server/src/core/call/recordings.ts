import { randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { Recording } from '../ports/telephony.ts'
import type { Call } from './call.ts'
import { languageOf } from './say-goodbye.ts'

/** What accounts record of a call: each its own, begun and ended when it wants. */
export class Recordings {
  readonly #call: Call
  readonly #running = new Map<string, Recording>()

  constructor(call: Call) {
    this.#call = call
  }

  isRunning(accountId: string): boolean {
    return this.#running.has(accountId)
  }

  /** The notice is part of the recording, so that it can be proved. */
  async start(accountId: string, { announcement }: { announcement: boolean }): Promise<void> {
    if (this.#running.has(accountId)) return
    const language = announcement ? await languageOf(this.#call, accountId) : undefined
    if (this.#call.end) throw new Problem('call_not_in_state')
    const { takenBy, parties } = this.#call
    const alone = takenBy === 'phone' ? undefined : parties[0]?.leg
    const file = { accountId, id: randomUUID() }
    this.#running.set(accountId, (alone ?? this.#call.bridge).record(file, 'split'))
    if (language === undefined) return
    const notice = { prompt: 'recording-notice', language } as const
    if (alone) alone.play(notice)
    else this.#call.bridge.play(notice)
  }

  async stop(accountId: string): Promise<void> {
    const recording = this.#running.get(accountId)
    if (!recording) return
    this.#running.delete(accountId)
    this.#call.story.recorded(accountId, recording.id)
    await recording.stop()
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((accountId) => this.stop(accountId)))
  }
}
