interface Closable {
  close?(): Promise<void>
}

/** Registers a part to be closed with the service, and returns it. */
export type Open = <T extends Closable>(part: T) => T

/** All opened parts, closed in reverse order. */
export class ClosingOrder {
  readonly #opened: Closable[] = []
  #closing: Promise<void> | undefined

  readonly open: Open = (part) => {
    this.#opened.push(part)
    return part
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#closeAll())
  }

  async #closeAll(): Promise<void> {
    for (const part of this.#opened.toReversed()) await part.close?.()
  }
}
