/** Counts everything that is asked of the outside and lets one of those requests fail. */
export class Outside {
  count = 0
  failAt: number | undefined
  /** What fails is done all the same; only its result is lost. */
  loseAnswer = false
  /** Or whenever this says so. */
  misfortune: () => boolean = () => false
  /** What was asked at which place, for messages. */
  readonly asked: string[] = []

  step(what: string): void {
    this.count += 1
    this.asked.push(what)
    if (this.count === this.failAt || this.misfortune()) throw new Error(`injected: ${what}`)
  }

  async stepAfter<T>(what: string, work: () => Promise<T>): Promise<T> {
    const place = ++this.count
    this.asked.push(what)
    const result = await work()
    if (place === this.failAt) throw new Error(`injected: the answer of ${what} is lost`)
    return result
  }
}
