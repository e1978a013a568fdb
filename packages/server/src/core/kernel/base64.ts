/** Characters decoded per batch. */
const chunkLength = 1024 * 1024

/**
 * Decodes Base64 with or without line breaks and padding, in batches. Undefined if the text is not Base64. `breathe` resolves in the next
 * turn of the event loop.
 */
export const decodeBase64 = async (text: string, breathe: () => Promise<unknown>): Promise<Buffer | undefined> => {
  const pieces: Buffer[] = []
  let rest = ''
  for (let at = 0; at < text.length; at += chunkLength) {
    const piece = text.slice(at, at + chunkLength)
    if (/[^A-Za-z0-9+/=\s]/.test(piece)) return undefined
    const letters = rest + (/\s/.test(piece) ? piece.replaceAll(/\s+/g, '') : piece)
    const isLast = at + chunkLength >= text.length
    const whole = isLast ? letters.length : letters.length - (letters.length % 4)
    pieces.push(Buffer.from(letters.slice(0, whole), 'base64'))
    rest = letters.slice(whole)
    if (!isLast) await breathe()
  }
  return Buffer.concat(pieces)
}
