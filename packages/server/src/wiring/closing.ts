export interface Closable {
  close?(): Promise<void>
}

/** Notes a part that has to be closed with the service, and returns it. */
export type Open = <T extends Closable>(part: T) => T

/** Everything that was opened, to be closed in the reverse order. */
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
