/** Black and white: one bit per pixel, 1 is black, the leftmost in the highest bit; every row begins with a new byte. */
export interface MonoPage {
  width: number
  height: number
  bits: Uint8Array
}

/** Pixels per line of every fax machine. */
const lineWidth = 1728
/** Resolution in dots per inch, horizontal and vertical. */
export const across = 204
export const down = 196
/** Four A4 pages: longer ones are scaled down. */
const maxRows = 4 * 2292

/** Resolution at which a page is printed, in dots per inch: its full size, unless it would not fit. Sizes in points, 72 per inch. */
export const resolutionFor = (width: number, height: number): { x: number; y: number } => {
  const factor = Math.min(1, (lineWidth * 72) / (width * across), (maxRows * 72) / (height * down))
  return { x: across * factor, y: down * factor }
}

export const rowBytes = (width: number): number => (width + 7) >> 3

/** Centred on the line of a fax machine; cut off if it does not fit. */
export const onLine = (page: MonoPage): MonoPage => {
  const height = Math.max(1, Math.min(page.height, maxRows))
  const from = rowBytes(page.width)
  const to = rowBytes(lineWidth)
  const margin = Math.max(0, Math.floor((to - from) / 2))
  const bits = new Uint8Array(to * height)
  for (let row = 0; row < Math.min(height, page.height); row++) {
    const line = page.bits.subarray(row * from, row * from + Math.min(from, to))
    bits.set(line, row * to + margin)
  }
  return { width: lineWidth, height, bits }
}
