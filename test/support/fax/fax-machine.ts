import { realClock } from '#adapters/clock/clocks.ts'
import type { FaxEngine, FaxOutcome, FaxReceiveJob, FaxSendJob, FaxStream } from '#media/fax/engine.ts'
import { parseSdp } from '@offhook/sip/sdp/parse-sdp.ts'
import type { OfferReply, SessionObserver } from '@offhook/sip/session/session.ts'
import type { SipPhone } from '../phones/sip-phone.ts'
import { describeMedia, remoteIn, type T38Way } from './t38-ways.ts'

/** Milliseconds until gateways detect that a fax machine answers. */
const preambleMs = 3_000

/** Fax machine on a telephone line. Without a T.38 path it rejects T.38 (488). */
export class FaxMachine {
  /** Media offered after the call started: `image`. */
  readonly offered: string[] = []
  readonly #phone: SipPhone
  readonly #engine: FaxEngine
  readonly #t38: T38Way | undefined

  constructor(phone: SipPhone, engine: FaxEngine, t38?: T38Way) {
    this.#phone = phone
    this.#engine = engine
    this.#t38 = t38
  }

  /** Calls there. `t38First`: offers T.38 in its first INVITE. */
  async send(dialled: string, job: FaxSendJob, { t38First = false } = {}): Promise<FaxOutcome> {
    const stream = await this.#engine.open(true)
    const sdp = t38First ? await this.#t38?.describe(stream, audioOf(stream)) : audioOf(stream)
    const { session } = this.#phone.call(dialled, { sdp })
    session.observe({ ...this.#observer(stream), answered: (answer) => void this.#follow(stream, answer ?? '') })
    const outcome = await stream.send(job)
    await session.end()
    return outcome
  }

  /** Answers the next call. With a T.38 path it offers T.38 after the far end has heard the answering tone. */
  async receive(job: FaxReceiveJob): Promise<FaxOutcome> {
    const { session, sdp = '' } = await this.#phone.invites.next()
    const stream = await this.#engine.open(false)
    session.observe(this.#observer(stream))
    await this.#follow(stream, sdp)
    await session.accept({ sdp: audioOf(stream) })
    const outcome = stream.receive(job)
    const t38 = this.#t38
    if (t38) {
      await new Promise<void>((resolve) => realClock().after(preambleMs, resolve))
      const answer = await session.offer(await t38.describe(stream, audioOf(stream)))
      if (answer.sdp !== undefined) await t38.connect(stream, answer.sdp)
    }
    return outcome
  }

  #observer(stream: FaxStream): SessionObserver {
    return {
      offered: (sdp) => this.#reply(stream, sdp ?? ''),
      ended: () => void stream.close(),
    }
  }

  async #reply(stream: FaxStream, sdp: string): Promise<OfferReply> {
    const kind = kindOf(sdp)
    this.offered.push(kind)
    const audio = audioOf(stream)
    const ours = kind === 'audio' ? audio : await this.#t38?.describe(stream, audio)
    if (ours === undefined) return { status: 488 }
    await this.#follow(stream, sdp)
    return { sdp: ours }
  }

  async #follow(stream: FaxStream, sdp: string): Promise<void> {
    if (kindOf(sdp) === 'image') await this.#t38?.connect(stream, sdp)
    else stream.audio({ ...remoteIn(sdp), codec: 'PCMA' })
  }
}

const kindOf = (sdp: string): string => parseSdp(sdp).media.find(({ port }) => port > 0)?.kind ?? ''

const audioOf = ({ localPort }: FaxStream): string => describeMedia(`m=audio ${localPort} RTP/AVP 8`, 'a=rtpmap:8 PCMA/8000')
