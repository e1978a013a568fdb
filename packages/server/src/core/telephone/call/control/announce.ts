import { atMost } from '#core/kernel/work/at-most.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { OutboundFailure, type OutboundHttp } from '#core/kernel/ports/outbound-http.ts'
import type { Sound, WavSound } from '#core/kernel/ports/telephony.ts'
import { heardInCalls, readPcmWav, WavRefused } from '#core/kernel/sound/pcm-wav.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { OngoingCall } from '../state/ongoing-call.ts'
import { assistantOf, type IncomingCallHandler } from '../state/taker.ts'

const maxBytes = 10 * 1024 * 1024
const deadlineMs = 10_000
/** How many announcements may wait or be heard at once in one call, if they are together no larger than one may be. */
const maxConcurrent = 5
/** How long one waits for those before it: the REST request that asked for it does not wait for ever. */
const maxWaitMs = 60_000

/** A call in which something can be announced. */
export interface AnnouncedCall extends Pick<OngoingCall, 'parties' | 'end' | 'over'> {
  readonly context: { clock: Clock }
  readonly taker: IncomingCallHandler | undefined
}

/** What is announced in a call, one after the other: in the order in which it was asked for, however long each took to be fetched. */
export class Announcements {
  readonly #call: AnnouncedCall
  #last: Promise<unknown> = Promise.resolve()
  /** Those that wait or are heard; their size is known when they are fetched. */
  readonly #open = new Set<{ bytes: number }>()

  constructor(call: AnnouncedCall) {
    this.#call = call
  }

  /** Resolves when the sound can be heard. */
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
    if (this.#call.end) throw new Problem('call_not_in_state')
  }

  /** One whose turn does not come in time is not heard later either. */
  async #started({ begun, stop }: Announced): Promise<void> {
    if ((await atMost(this.#call.context.clock, maxWaitMs, begun, 'late')) !== 'late') return
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
    return queue(async () => announce(this.#call, ready))
  }
}

/** Does something with the call when it is its turn. */
type Queue = (work: () => Promise<Announced>) => Promise<Announced>

export interface Announced {
  /** It is on its way to all parties. */
  begun: Promise<unknown>
  over: Promise<unknown>
  stop: () => void
}

/** Everybody hears it instead of each other; an assistant waits until it is over. */
export const announce = (call: AnnouncedCall, sound: Sound, options?: { urgent?: boolean }): Announced => {
  const playing = call.parties.map(({ leg }) => leg.audio.announce(sound, options))
  const over = Promise.all(playing.map(({ done }) => done))
  const assistant = assistantOf(call.taker)
  assistant?.wait(over, true)
  void over.then(() => assistant?.wait(over, false))
  // Where it ends before it began, the phone is gone.
  const begun = Promise.all(playing.map((one) => Promise.race([one.begun, one.done])))
  return { begun, over, stop: () => playing.forEach((one) => one.stop()) }
}

/** A customer's file. Throws a Problem that says what is wrong with it, but nothing about where it was looked for. */
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
    // One reply for all of them: it must not reveal what there is in our network.
    const tooLarge = `leads to a file of more than ${maxBytes} bytes`
    throw Problem.field('url', error.kind === 'too_large' ? tooLarge : 'could not be fetched')
  }
}
