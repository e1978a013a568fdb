import { limits } from './octets.ts'
import { SmppError } from './smpp-error.ts'
import { status } from './status.ts'

/** Splits the bytes of a connection into PDUs. One per connection. */
export class PduFramer {
  /** Maximum accepted PDU length. */
  limit: number
  #buffer: Buffer = Buffer.alloc(0)
  #start = 0
  #end = 0
  /** The memory is ours: there is room after #end. Bytes before it were handed out and are never overwritten. */
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
   * The next complete PDU, or undefined until more bytes arrive. Throws on an impossible length: the start of the next PDU is then unknown,
   * so the connection must be closed.
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

  /** Twice the needed size, so that a PDU in small chunks is not copied with each chunk. */
  #grow(kept: number, more: number): void {
    const grown = Buffer.allocUnsafe(Math.max(256, 2 * (kept + more)))
    this.#buffer.copy(grown, 0, this.#start, this.#end)
    this.#buffer = grown
    this.#start = 0
    this.#end = kept
    this.#own = true
  }
}
