import { TokenBucket, type TokenRate } from '#core/kernel/token-bucket.ts'

interface ValveLimits {
  /** Admitted per second however great the overload, so that no caller waits for ever. */
  minPerSecond: number
  /** Factor of the rate for each cut. */
  cut: number
}

/** Between two cuts: a cut shows its effect only when what was admitted before is done. */
const cutIntervalMs = 500
/** Cuts within this time answer the same excess. */
const cutsMs = 2_000
/** Share of what was too much up to which the rate rises fast. */
const fastShare = 0.7
/** Factor of a cut far above the limit. */
const deepCut = 0.3
const deepRatio = 3
/** Share of its rate that a valve admits in one burst. */
const burstShare = 0.25
/** Span over which admitted ones are counted. */
const countedMs = 1_000

/** Admits everything until it is closed; then as many per second as the machine turns out to carry: few more each second, far fewer at once. */
export class Valve {
  readonly #limits: ValveLimits
  /** Times of the latest admissions. */
  #admitted: number[] = []
  #bucket: TokenBucket | undefined
  #perSecond = Infinity
  /** Rate before the latest cuts: too much. */
  #tooMany = Infinity
  #cutAt = -Infinity
  #shedAt = -Infinity

  constructor(limits: ValveLimits) {
    this.#limits = limits
  }

  /** Admitted per second at most. */
  get perSecond(): number {
    return this.#perSecond
  }

  /** Nothing was rejected lately: opening it would admit no more. */
  isSatisfied(nowMs: number): boolean {
    return nowMs - this.#shedAt > countedMs
  }

  /** Returns whether there is room; `takes`: uses it. */
  admits(nowMs: number, takes: boolean): boolean {
    const admitted = this.#bucket === undefined || (takes ? this.#bucket.take(this.#rate, nowMs) : this.#bucket.holds(this.#rate, nowMs))
    if (!admitted) this.#shedAt = nowMs
    else if (takes) this.#note(nowMs)
    return admitted
  }

  /** Admits what cannot be rejected; others have less room. */
  spend(nowMs: number): void {
    this.#bucket?.spend(this.#rate, nowMs, 1)
    this.#note(nowMs)
  }

  /** From now on it admits as many per second as it did lately. */
  close(nowMs: number): void {
    this.#forget(nowMs)
    this.#perSecond = Math.max(this.#limits.minPerSecond, (this.#admitted.length * 1000) / countedMs)
    this.#tooMany = this.#perSecond
    this.#cutAt = nowMs
    this.#bucket = new TokenBucket(this.#rate, nowMs)
  }

  open(): void {
    this.#bucket = undefined
    this.#perSecond = Infinity
  }

  /** Too much was admitted. */
  reduce(nowMs: number, ratio: number): void {
    if (nowMs - this.#cutAt < cutIntervalMs) return
    if (nowMs - this.#cutAt > cutsMs) this.#tooMany = this.#perSecond
    this.#cutAt = nowMs
    const { cut, minPerSecond } = this.#limits
    this.#perSecond = Math.max(minPerSecond, this.#perSecond * (ratio >= deepRatio ? deepCut : cut))
  }

  /** More can be admitted; `passedMs` since the last time. Fast as long as it is well below what was too much. */
  increase(passedMs: number, hasMuchRoom: boolean): void {
    const isFast = hasMuchRoom && this.#perSecond < this.#tooMany * fastShare
    const perSecond = isFast ? Math.max(2, this.#perSecond / 2) : Math.max(1, this.#perSecond / 20)
    this.#perSecond += (perSecond * passedMs) / 1000
  }

  get #rate(): TokenRate {
    return { perSecond: this.#perSecond, burst: Math.max(1, this.#perSecond * burstShare) }
  }

  #note(nowMs: number): void {
    this.#admitted.push(nowMs)
    this.#forget(nowMs)
  }

  #forget(nowMs: number): void {
    const old = this.#admitted.findIndex((at) => nowMs - at < countedMs)
    if (old !== 0) this.#admitted = old < 0 ? [] : this.#admitted.slice(old)
  }
}
