import { atMost } from '#core/kernel/work/waiting.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { OutboundFailure, type OutboundHttp } from '#core/kernel/ports/outbound.ts'
import type { Sound, WavSound } from '#core/kernel/ports/audio.ts'
import { heardInCalls, readPcmWav, WavRefused } from '#core/kernel/sound/pcm-wav.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { CallLife } from '../state/call-life.ts'
import type { Party } from '../state/party.ts'
import { assistantOf, type IncomingCallHandler } from '../state/assistant-party.ts'

const maxBytes = 10 * 1024 * 1024
const deadlineMs = 10_000
/** Announcements queued or playing per call; their total size is limited to that of one file. */
const maxConcurrent = 5
/** Milliseconds an announcement waits for earlier ones, so that its REST request does not wait forever. */
const maxWaitMs = 60_000

export interface AnnouncedCall {
  readonly parties: readonly Party[]
  readonly callHandler: IncomingCallHandler | undefined
}

interface AnnouncementDeps {
  readonly life: Pick<CallLife, 'end'>
  readonly clock: Clock
  readonly announce: Announce
}

/** Announcement queue of a call: plays in request order, however long each download takes. */
export class Announcements {
  readonly #deps: AnnouncementDeps
  #last: Promise<unknown> = Promise.resolve()
  /** Queued or playing announcements; `bytes` is 0 until the download is complete. */
  readonly #open = new Set<{ bytes: number }>()

  constructor(deps: AnnouncementDeps) {
    this.#deps = deps
  }

  /** Resolves when playback starts. */
  async add(fetch: () => Promise<WavSound>, queue: Queue): Promise<void> {
    if (this.#open.size === maxConcurrent) throw new Problem('conflict', `${maxConcurrent} announcements are already waiting in this call.`)
    const one = { bytes: 0 }
    this.#open.add(one)
    const queued = this.#queue(this.#fetch(one, fetch), this.#last, queue)
    this.#last = queued.catch(() => {})
    const over = queued.then(({ over: ended }) => ended)
    const release = (): void => void this.#open.delete(one)
    over.then(release, release)
    await this.#started(await queued)
    if (this.#deps.life.end) throw new Problem('call_not_in_state')
  }

  /** Cancels an announcement whose turn does not come in time. */
  async #started({ begun, stop }: Announced): Promise<void> {
    if ((await atMost(this.#deps.clock, maxWaitMs, begun, 'late')) !== 'late') return
    stop()
    throw new Problem('conflict', 'The announcements before this one take too long.')
  }

  async #fetch(one: { bytes: number }, fetch: () => Promise<WavSound>): Promise<WavSound> {
    const sound = await fetch()
    one.bytes = sound.wav.length
    const bytes = [...this.#open].reduce((sum, other) => sum + other.bytes, 0)
    if (bytes > maxBytes) throw new Problem('conflict', 'The announcements waiting in this call are too long altogether.')
    return sound
  }

  async #queue(sound: Promise<WavSound>, before: Promise<unknown>, queue: Queue): Promise<Announced> {
    const [ready] = await Promise.all([sound, before])
    return queue(async () => this.#deps.announce(ready))
  }
}

/** Runs work on the call in its turn. */
type Queue = (work: () => Promise<Announced>) => Promise<Announced>

interface Announced {
  /** Resolves when all parties receive it. */
  begun: Promise<unknown>
  over: Promise<unknown>
  stop: () => void
}

/** `announce` of one call. */
export type Announce = (sound: Sound, options?: { urgent?: boolean }) => Announced

/** Plays to all parties instead of the conversation; an assistant waits until it ends. */
export const announce = (call: AnnouncedCall, sound: Sound, options?: { urgent?: boolean }): Announced => {
  const playing = call.parties.map(({ leg }) => leg.audio.announce(sound, options))
  const over = Promise.all(playing.map(({ done }) => done))
  const assistant = assistantOf(call.callHandler)
  assistant?.wait(over, true)
  void over.then(() => assistant?.wait(over, false))
  // `done` before `begun`: the phone is gone.
  const begun = Promise.all(playing.map((one) => Promise.race([one.begun, one.done])))
  return { begun, over, stop: () => playing.forEach((one) => one.stop()) }
}

/** Downloads a customer's file. Throws a Problem that names the fault of the file, but not where it was looked up. */
export const fetchAnnouncement = async (outbound: OutboundHttp, url: string): Promise<WavSound> => {
  const file = await fetched(outbound, url)
  try {
    readPcmWav(file, heardInCalls)
  } catch (error) {
    if (error instanceof WavRefused) throw Problem.field('url', error.message)
    throw error
  }
  return { wav: file }
}

const fetched = async (outbound: OutboundHttp, url: string): Promise<Buffer> => {
  try {
    const { status, body } = await outbound.request({ method: 'GET', url, deadlineMs, maxBytes: maxBytes })
    if (status !== 200) throw Problem.field('url', `could not be fetched: the server answered with ${status}`)
    return body
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    // One message for all causes: it must not reveal the internal network.
    const tooLarge = `leads to a file of more than ${maxBytes} bytes`
    throw Problem.field('url', error.kind === 'too_large' ? tooLarge : 'could not be fetched')
  }
}
