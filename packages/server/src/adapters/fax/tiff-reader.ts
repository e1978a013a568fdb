/** A page as it stands in a TIFF, still packed. */
export interface TiffPage {
  width: number
  height: number
  /** `g3`: T.4, `g4`: T.6, as PDF calls them, too. */
  packing: 'none' | 'deflate' | 'g3' | 'g4'
  /** Of `g3`: most lines are described by the one before. */
  twoDimensional: boolean
  /** The leftmost pixel is in the lowest bit of a byte. */
  reversed: boolean
  /** 1 is white. */
  inverted: boolean
  /** Dots for each inch. */
  x: number
  y: number
  data: Uint8Array
}

const packings: Partial<Record<number, TiffPage['packing']>> = { 1: 'none', 3: 'g3', 4: 'g4', 8: 'deflate' }
const mostPages = 10_000
const centimetres = 3

/** The pages of a file that a fax engine wrote, or our own writer. Pages that make no sense, as of a file cut short, are left out. */
export const readTiff = (file: Uint8Array): TiffPage[] => {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  if (bytes.length < 8 || !['II*\0', 'MM\0*'].includes(bytes.toString('latin1', 0, 4))) return []
  const reader = new Reader(bytes, bytes[0] === 0x49)
  const pages: TiffPage[] = []
  const seen = new Set<number>()
  for (let at = reader.u32(4); at !== 0 && !seen.has(at) && seen.size < mostPages;) {
    seen.add(at)
    const found = reader.directory(at)
    if (!found) break
    const page = pageOf(bytes, found.fields)
    if (page) pages.push(page)
    at = found.next
  }
  return pages
}

type Fields = Map<number, number[]>

class Reader {
  readonly #bytes: Buffer
  readonly #little: boolean

  constructor(bytes: Buffer, little: boolean) {
    this.#bytes = bytes
    this.#little = little
  }

  u16(at: number): number {
    return this.#little ? this.#bytes.readUInt16LE(at) : this.#bytes.readUInt16BE(at)
  }

  u32(at: number): number {
    return this.#little ? this.#bytes.readUInt32LE(at) : this.#bytes.readUInt32BE(at)
  }

  directory(at: number): { fields: Fields; next: number } | undefined {
    if (!this.#has(at, 2)) return undefined
    const count = this.u16(at)
    const end = at + 2 + count * 12
    if (!this.#has(at, 2 + count * 12 + 4)) return undefined
    const fields: Fields = new Map()
    for (let place = at + 2; place < end; place += 12) fields.set(this.u16(place), this.#values(place))
    return { fields, next: this.u32(end) }
  }

  /** Numbers only; fields of other types are empty. */
  #values(place: number): number[] {
    const type = this.u16(place + 2)
    const count = this.u32(place + 4)
    const size = { 3: 2, 4: 4, 5: 8 }[type]
    if (size === undefined || count > 100_000) return []
    const at = size * count <= 4 ? place + 8 : this.u32(place + 8)
    if (!this.#has(at, size * count)) return []
    return Array.from({ length: count }, (_, index) => {
      const from = at + index * size
      if (size === 2) return this.u16(from)
      return size === 4 ? this.u32(from) : this.u32(from) / (this.u32(from + 4) || 1)
    })
  }

  #has(at: number, length: number): boolean {
    return at + length <= this.#bytes.length
  }
}

const pageOf = (bytes: Buffer, fields: Fields): TiffPage | undefined => {
  const one = (tag: number, fallback: number): number => fields.get(tag)?.[0] ?? fallback
  const packing = packings[one(259, 1)]
  const [width, height] = [one(256, 0), one(257, 0)]
  const data = stripsOf(bytes, fields)
  if (!packing || !data || width < 1 || height < 1 || width > 20_000 || height > 1_000_000 || one(258, 1) !== 1) return undefined
  const perInch = one(296, 2) === centimetres ? 2.54 : 1
  return {
    width,
    height,
    packing,
    twoDimensional: (one(292, 0) & 1) !== 0,
    reversed: one(266, 1) === 2,
    inverted: one(262, 0) === 1,
    x: sane(one(282, 204) * perInch, 204),
    y: sane(one(283, 98) * perInch, 98),
    data,
  }
}

const sane = (dots: number, fallback: number): number => (dots >= 10 && dots <= 2_000 ? dots : fallback)

/** What is packed can be put together only when it is one strip: others begin anew. */
const stripsOf = (bytes: Buffer, fields: Fields): Uint8Array | undefined => {
  const [at, ...more] = fields.get(273) ?? []
  const [length] = fields.get(279) ?? []
  if (at === undefined || length === undefined || more.length > 0 || at + length > bytes.length || length === 0) return undefined
  return bytes.subarray(at, at + length)
}
