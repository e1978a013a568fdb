import { sleep } from '#core/kernel/work/waiting.ts'
import { CapacityExceeded, type Cause, type Dial, type DialTarget, type LegEnd, type FaxLeg } from '#core/kernel/ports/telephony.ts'
import { highestPriorityCause } from '#core/telephone/routing/inbound/causes.ts'
import { mayTryAnother, trunksInOrder } from '#core/telephone/routing/plan/plan.ts'
import type { FaxRoute } from './fax-route.ts'
import type { SendingDeps } from './sending-deps.ts'

interface FaxCalling {
  faxId: string
  route: Extract<FaxRoute, { kind: 'phones' | 'outside' }>
  dial: Dial
  stopped: AbortSignal
}

/** `no_room`: no call was made, because all channels of the carriers or all media ports are in use. */
type Unanswered = Cause | 'no_room'

const ringMs = 60_000
/** Maximum wait for a free channel at a carrier, and the poll interval. Carriers allow one call per second, unless agreed otherwise. */
const capacityWaitMs = 60_000
const capacityPollMs = 1_000

/** Calls the recipient of a fax. Returns the first answered leg, or the reason why none answered; cancels the others. */
export const dialFax = async (deps: SendingDeps, calling: FaxCalling): Promise<FaxLeg | Unanswered> => {
  const { route, stopped } = calling
  if (stopped.aborted) return 'normal'
  if (route.kind === 'outside') return dialWithCapacity(deps, route.e164, calling)
  const places = await Promise.all(route.phones.map((target) => callAt(deps, target, calling)))
  const legs = places.flatMap((place) => (place === 'no_room' ? [] : (place ?? [])))
  if (legs.length === 0 && places.includes('no_room')) return 'no_room'
  return new Ringing(deps, legs, stopped).answer.then(({ leg, causes }) => leg ?? highestPriorityCause(causes))
}

const dialWithCapacity = async (deps: SendingDeps, number: string, calling: FaxCalling): Promise<FaxLeg | Unanswered> => {
  const { clock } = deps
  const until = clock.now() + capacityWaitMs
  let outcome = await dialTrunks(deps, number, calling)
  while (outcome === 'no_room' && clock.now() < until) {
    await sleep(clock, capacityPollMs, calling.stopped)
    outcome = await dialTrunks(deps, number, calling)
  }
  return outcome
}

const dialTrunks = async (deps: SendingDeps, number: string, calling: FaxCalling): Promise<FaxLeg | Unanswered> => {
  const { stopped } = calling
  const trunks = await trunksInOrder(deps.store.read, deps.telephony, { emergency: false })
  let cause: Unanswered = trunks.length > 0 ? 'no_room' : 'overloaded'
  for (const { id: trunkId } of trunks) {
    if (stopped.aborted) return 'normal'
    const target: DialTarget = { kind: 'trunk', trunkId, number, emergency: false }
    const legs = await callAt(deps, target, calling)
    if (!legs) cause = 'failed'
    if (!legs || legs === 'no_room' || legs.length === 0) continue
    const { leg, end, rang } = await new Ringing(deps, legs, stopped).answer
    if (leg) return leg
    if (!end) return 'no_answer'
    if (!mayTryAnother(end, { rang })) return end.cause
    cause = end.cause
  }
  return cause
}

/** Returns undefined on an error, so that other targets are still called. */
const callAt = async (deps: SendingDeps, target: DialTarget, { dial, faxId }: FaxCalling): Promise<FaxLeg[] | 'no_room' | undefined> => {
  const { telephony, onFailure } = deps
  try {
    return await telephony.dialFax(target, dial)
  } catch (error) {
    if (error instanceof CapacityExceeded) return 'no_room'
    onFailure(error, faxId)
    return undefined
  }
}

interface Answer {
  leg: FaxLeg | undefined
  /** End of the last leg that we did not end. */
  end: LegEnd | undefined
  causes: Cause[]
  rang: boolean
}

/** Legs that ring in parallel, for one minute at most. */
class Ringing {
  readonly answer: Promise<Answer>
  readonly #legs: Set<FaxLeg>
  readonly #ends: LegEnd[] = []
  readonly #found = Promise.withResolvers<FaxLeg | undefined>()
  #rang = false

  constructor({ clock }: SendingDeps, legs: readonly FaxLeg[], stopped: AbortSignal) {
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
    // Not answered in time.
    if (!leg && ringing.length > 0) causes.push('no_answer')
    for (const other of ringing) void other.hangUp(leg ? 'answered_elsewhere' : 'normal').catch(() => {})
    return { leg, end: ringing.length > 0 ? undefined : this.#ends.at(-1), causes, rang: this.#rang }
  }
}
