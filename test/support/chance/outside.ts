/** Counts all external requests and fails one of them. */
export class Outside {
  count = 0
  failAt: number | undefined
  /** The failing request is executed, and only its result is lost. */
  loseAnswer = false
  /** Additional condition for a failure. */
  misfortune: () => boolean = () => false
  /** Requests in order, for messages. */
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
