import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Resumed, ResumeOptions, SavedDialog } from '#core/kernel/ports/telephony.ts'
import { TokenBucket } from '#core/kernel/token-bucket.ts'
import { sleep } from '#core/kernel/work/waiting.ts'
import type { Session } from '@offhook/sip/session/session.ts'
import type { UserAgent } from '@offhook/sip/user-agent/user-agent.ts'
import type { LegMaker } from './leg/leg-maker.ts'
import { resumableLeg, type ResumableLeg } from './leg/saved-leg.ts'
import type { SipLeg } from './leg/sip-leg.ts'
import type { Trunks } from './trunk/trunks.ts'

interface ResumedCallsOptions {
  clock: Clock
  agent: UserAgent
  maker: LegMaker
  trunks: Trunks
  onError: (error: unknown) => void
}

/** So that the calls of a lost node do not overload phones, carriers and us. */
const rate = { burst: 50, perSecond: 100 }

/** Resumes legs of another node. */
export class ResumedCalls {
  readonly #options: ResumedCallsOptions
  readonly #bucket: TokenBucket
  #turn: Promise<void> = Promise.resolve()

  constructor(options: ResumedCallsOptions) {
    this.#options = options
    this.#bucket = new TokenBucket(rate, options.clock.now())
  }

  /** The legs of one call: the same media thread carries all of them. */
  async resume(saved: readonly SavedDialog[], { agreed = () => Promise.resolve() }: ResumeOptions = {}): Promise<Resumed[]> {
    const legs = saved.map((one) => this.#tryToMake(one))
    const first = legs.find((leg) => leg !== undefined)
    return Promise.all(
      legs.map(async (leg): Promise<Resumed> => {
        if (!leg) return { reason: 'impossible' }
        await this.#sequential()
        const reason = await leg.resume(leg === first ? undefined : first?.audio, () => agreed(leg.id))
        return reason ? { reason } : { leg }
      }),
    )
  }

  /** Undefined if it cannot be read. */
  #tryToMake(dialog: SavedDialog): SipLeg | undefined {
    try {
      const saved = resumableLeg(dialog)
      return saved && this.#make(saved)
    } catch (error) {
      this.#options.onError(error)
      return undefined
    }
  }

  #make(saved: ResumableLeg): SipLeg | undefined {
    const { agent, trunks } = this.#options
    const { trunkId } = saved
    const access = trunkId === undefined ? undefined : trunks.get(trunkId)
    const session = agent.resume(saved, {}, access?.digest)
    if (!session) return undefined
    const leg = this.#legOf(session, saved)
    // The carrier already has the call, so it never exceeds the limit.
    const how = { direction: session.direction, emergency: true }
    const ended = access && trunks.calls.begin(access.trunk.id, access.trunk.settings, how)
    if (ended) void leg.ended.then(ended)
    return leg
  }

  #legOf(session: Session, saved: ResumableLeg): SipLeg {
    try {
      return this.#options.maker.resumed(session, saved)
    } catch (error) {
      session.abandon()
      throw error
    }
  }

  /** Takes tokens one after the other. */
  #sequential(): Promise<void> {
    return (this.#turn = this.#turn.then(() => this.#token()))
  }

  async #token(): Promise<void> {
    const { clock } = this.#options
    while (!this.#bucket.take(rate, clock.now())) await sleep(clock, Math.ceil(1000 * this.#bucket.secondsUntil(rate)))
  }
}
