import type { FaxLeg } from '../ports/fax-line.ts'
import type { Cause, Dial, DialTarget, LegEnd } from '../ports/telephony.ts'
import { weightiest } from '../switchboard/causes.ts'
import { mayTryAnother, trunksInOrder } from '../switchboard/trunk-choice.ts'
import type { FaxRoute } from './fax-route.ts'
import type { SendingParts } from './sending-parts.ts'

export interface FaxCalling {
  faxId: string
  route: Extract<FaxRoute, { kind: 'phones' | 'outside' }>
  dial: Dial
  stopped: AbortSignal
}

const ringMs = 60_000

/** Calls whoever is to get a fax. Gives the first leg that is answered, or why none was; the others stop ringing. */
export const dialFax = async (parts: SendingParts, calling: FaxCalling): Promise<FaxLeg | Cause> => {
  const { route, stopped } = calling
  if (stopped.aborted) return 'normal'
  if (route.kind === 'outside') return dialTrunks(parts, route.e164, calling)
  const places = await Promise.all(route.phones.map((target) => callAt(parts, target, calling)))
  return new Ringing(parts, places.flat(), stopped).answer.then(({ leg, causes }) => leg ?? weightiest(causes))
}

const dialTrunks = async (parts: SendingParts, number: string, calling: FaxCalling): Promise<FaxLeg | Cause> => {
  const { stopped } = calling
  let cause: Cause = 'overloaded'
  for (const { id: trunkId } of await trunksInOrder(parts.store.read, parts.telephony, { emergency: false })) {
    if (stopped.aborted) return 'normal'
    const target: DialTarget = { kind: 'trunk', trunkId, number, emergency: false }
    const legs = await callAt(parts, target, calling)
    if (legs.length === 0) continue
    const { leg, end, rang } = await new Ringing(parts, legs, stopped).answer
    if (leg) return leg
    if (!end) return 'no_answer'
    if (!mayTryAnother(end, { rang })) return end.cause
    cause = end.cause
  }
  return cause
}

/** What goes wrong at one place keeps nobody from being reached at another. */
const callAt = async ({ telephony, onFailure }: SendingParts, target: DialTarget, { dial, faxId }: FaxCalling): Promise<FaxLeg[]> => {
  try {
    return await telephony.dialFax(target, dial)
  } catch (error) {
    onFailure(error, faxId)
    return []
  }
}

interface Answer {
  leg: FaxLeg | undefined
  /** Of the last one that ended by itself. */
  end: LegEnd | undefined
  causes: Cause[]
  rang: boolean
}

/** Legs that ring at the same time, for a minute at most. */
class Ringing {
  readonly answer: Promise<Answer>
  readonly #legs: Set<FaxLeg>
  readonly #ends: LegEnd[] = []
  readonly #found = Promise.withResolvers<FaxLeg | undefined>()
  #rang = false

  constructor({ clock }: SendingParts, legs: readonly FaxLeg[], stopped: AbortSignal) {
    this.#legs = new Set(legs)
    const giveUp = (): void => this.#found.resolve(undefined)
    const cancelTimer = clock.after(ringMs, giveUp)
    stopped.addEventListener('abort', giveUp)
    const quits = legs.map((leg) => this.#watch(leg))
    if (legs.length === 0 || stopped.aborted) giveUp()
    this.answer = this.#found.promise.then((leg) => {
      cancelTimer()
      stopped.removeEventListener('abort', giveUp)
      for (const quit of quits) quit()
      return this.#settle(leg)
    })
  }

  #watch(leg: FaxLeg): () => void {
    const quit = leg.observe({
      ringing: () => (this.#rang = true),
      earlyAudio: () => (this.#rang = true),
      answered: () => this.#found.resolve(leg),
    })
    if (leg.answered) this.#found.resolve(leg)
    void leg.ended.then((end) => {
      this.#ends.push(end)
      this.#legs.delete(leg)
      if (this.#legs.size === 0) this.#found.resolve(undefined)
    })
    return quit
  }

  #settle(leg: FaxLeg | undefined): Answer {
    const causes = this.#ends.map(({ cause }) => cause)
    const ringing = [...this.#legs].filter((other) => other !== leg)
    // Nobody took it in time.
    if (!leg && ringing.length > 0) causes.push('no_answer')
    for (const other of ringing) void other.hangUp(leg ? 'answered_elsewhere' : 'normal').catch(() => {})
    return { leg, end: ringing.length > 0 ? undefined : this.#ends.at(-1), causes, rang: this.#rang }
  }
}
