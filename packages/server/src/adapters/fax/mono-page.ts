/** Black and white: one bit for each pixel, 1 is black, the leftmost in the highest bit; every row begins with a new byte. */
export interface MonoPage {
  width: number
  height: number
  bits: Uint8Array
}

/** Pixels in a line that every fax machine has, … */
export const lineWidth = 1728
/** … and its resolution for each inch, across and down. */
export const across = 204
export const down = 196
/** Four A4 pages: longer ones are made smaller. */
const maxRows = 4 * 2292

/** At how many dots for each inch a page is printed: as large as it is, unless it would not fit. Sizes in points, 72 for each inch. */
export const resolutionFor = (width: number, height: number): { x: number; y: number } => {
  const factor = Math.min(1, (lineWidth * 72) / (width * across), (maxRows * 72) / (height * down))
  return { x: across * factor, y: down * factor }
}

export const rowBytes = (width: number): number => (width + 7) >> 3

/** In the middle of a line of a fax machine; what does not fit is cut off. */
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
