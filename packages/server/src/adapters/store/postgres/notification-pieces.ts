/** A notification holds less than 8,000 bytes. */
const longestPiece = 7_900
/** The longest message: a reply of the largest size. */
const mostPieces = 2_000

/** A text, which must be ASCII, as notifications. Each is different: PostgreSQL drops duplicates within a transaction. */
export const inPieces = (from: string, text: string): string[] => {
  const count = Math.ceil(text.length / longestPiece)
  return Array.from({ length: count }, (_, index) => {
    const piece = text.slice(index * longestPiece, (index + 1) * longestPiece)
    return `${from} ${index} ${count} ${piece}`
  })
}

/** Puts texts together again. Pieces of one sender arrive in order. */
export class Pieces {
  readonly #begun = new Map<string, string[]>()

  /** The whole text with its last piece. */
  add(notification: string): string | undefined {
    const [, from = '', index, count, piece = ''] = /^(\w+) (\d+) (\d+) (.*)$/s.exec(notification) ?? []
    const pieces = index === '0' ? [] : this.#begun.get(from)
    this.#begun.delete(from)
    if (pieces?.length !== Number(index) || Number(count) > mostPieces) return undefined
    pieces.push(piece)
    if (pieces.length === Number(count)) return pieces.join('')
    this.#begun.set(from, pieces)
    return undefined
  }
}
