/** How far offer and answer have come: RFC 3264, RFC 6337. */
export class OfferAnswer {
  #complete = false
  #local: string | undefined

  /** The first offer has its answer: from now on either side may make a new one. */
  get complete(): boolean {
    return this.#complete
  }

  /** Our latest description, for refreshes. */
  get local(): string | undefined {
    return this.#local
  }

  describe(sdp: string | undefined): void {
    this.#local = sdp
  }

  completed(): void {
    this.#complete = true
  }
}
