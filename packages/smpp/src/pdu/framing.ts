import { limits } from './limits.ts'
import { SmppError } from './smpp-error.ts'
import { status } from './status.ts'

/** Cuts the bytes of a connection into PDUs. One for each connection. */
export class PduFramer {
  /** The longest PDU that is let in. */
  limit: number
  #buffer: Buffer = Buffer.alloc(0)
  #start = 0
  #end = 0
  /** The memory is ours: there is room behind #end. What is before it was handed out and is never written again. */
  #own = false

  constructor(limit: number = limits.pduBytes) {
    this.limit = limit
  }

  push(chunk: Buffer): void {
    const kept = this.#end - this.#start
    if (kept === 0) {
      this.#buffer = chunk
      this.#start = 0
      this.#end = chunk.length
      this.#own = false
      return
    }
    if (!this.#own || this.#buffer.length - this.#end < chunk.length) this.#grow(kept, chunk.length)
    chunk.copy(this.#buffer, this.#end)
    this.#end += chunk.length
  }

  /**
   * The next whole PDU, or undefined until more has come. Throws when its length cannot be right: from then on it is unknown where a PDU
   * begins, so the connection must be closed.
   */
  next(): Buffer | undefined {
    const kept = this.#end - this.#start
    if (kept < 4) return undefined
    const length = this.#buffer.readUInt32BE(this.#start)
    if (length < limits.headerBytes || length > this.limit) {
      throw new SmppError(status.invalidCommandLength, `A command of ${length} octets`)
    }
    if (kept < length) return undefined
    const pdu = this.#buffer.subarray(this.#start, this.#start + length)
    this.#start += length
    return pdu
  }

  /** Twice what is needed, so that a PDU in crumbs is not copied with every crumb. */
  #grow(kept: number, more: number): void {
    const grown = Buffer.allocUnsafe(Math.max(256, 2 * (kept + more)))
    this.#buffer.copy(grown, 0, this.#start, this.#end)
    this.#buffer = grown
    this.#start = 0
    this.#end = kept
    this.#own = true
  }
}
