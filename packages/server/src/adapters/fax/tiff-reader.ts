/** A file for random access; less than `length` only at its end. */
export interface Source {
  readonly bytes: number
  read(position: number, length: number): Promise<Uint8Array>
}

/** A page of a TIFF, still compressed. */
export interface TiffPage {
  width: number
  height: number
  /** `g3`: T.4, `g4`: T.6, with the names of PDF. */
  packing: 'none' | 'deflate' | 'g3' | 'g4'
  /** For `g3`: most lines are coded relative to the previous one. */
  twoDimensional: boolean
  /** The leftmost pixel is in the lowest bit of a byte. */
  reversed: boolean
  /** 1 is white. */
  inverted: boolean
  /** Dots per inch. */
  x: number
  y: number
  /** Position of its image in the file. */
  at: number
  length: number
}

const packings: Partial<Record<number, TiffPage['packing']>> = { 1: 'none', 3: 'g3', 4: 'g4', 8: 'deflate' }
const maxPages = 10_000
const maxFields = 200
const widest = 20_000
/** Thirty A4 pages in the finest resolution. Longer ones are cut off: white lines cost a sender one bit each, and readers much more. */
const maxPixels = 256 * 1024 * 1024
const centimetres = 3

/** Pages of a file written by a fax engine, or by our own writer. Invalid pages, for example of a truncated file, are left out. */
export const readTiff = async (file: Source): Promise<TiffPage[]> => {
  const reader = await openReader(file)
  if (!reader) return []
  const pages: TiffPage[] = []
  const seen = new Set<number>()
  let at = (await reader.u32(4)) ?? 0
  while (at !== 0 && !seen.has(at) && seen.size < maxPages) {
    seen.add(at)
    const found = await reader.directory(at)
    if (!found) break
    const page = pageOf(found.fields, file.bytes)
    if (page) pages.push(page)
    at = found.next
  }
  return pages
}

const openReader = async (file: Source): Promise<Reader | undefined> => {
  const kind = Buffer.from(await file.read(0, 4)).toString('latin1')
  return kind === 'II*\0' || kind === 'MM\0*' ? new Reader(file, kind === 'II*\0') : undefined
}

const types = { short: 3, long: 4, rational: 5 }

/** Fields with a single number: all that are needed have one. */
type Fields = ReadonlyMap<number, number>

class Reader {
  readonly #file: Source
  readonly #little: boolean

  constructor(file: Source, little: boolean) {
    this.#file = file
    this.#little = little
  }

  async u32(at: number): Promise<number | undefined> {
    const view = await this.#view(at, 4)
    return view?.getUint32(0, this.#little)
  }

  async directory(at: number): Promise<{ fields: Fields; next: number } | undefined> {
    const count = (await this.#view(at, 2))?.getUint16(0, this.#little)
    if (count === undefined || count > maxFields) return undefined
    const view = await this.#view(at + 2, count * 12 + 4)
    if (!view) return undefined
    const fields = new Map<number, number>()
    for (let place = 0; place < count * 12; place += 12) {
      const value = await this.#value(view, place)
      if (value !== undefined) fields.set(view.getUint16(place, this.#little), value)
    }
    return { fields, next: view.getUint32(count * 12, this.#little) }
  }

  async #value(view: DataView, place: number): Promise<number | undefined> {
    const little = this.#little
    if (view.getUint32(place + 4, little) !== 1) return undefined
    const type = view.getUint16(place + 2, little)
    if (type === types.short) return view.getUint16(place + 8, little)
    const value = view.getUint32(place + 8, little)
    if (type === types.long) return value
    if (type !== types.rational) return undefined
    const ratio = await this.#view(value, 8)
    return ratio && ratio.getUint32(0, little) / (ratio.getUint32(4, little) || 1)
  }

  /** Undefined when it is incomplete. */
  async #view(at: number, length: number): Promise<DataView | undefined> {
    if (at + length > this.#file.bytes) return undefined
    const bytes = await this.#file.read(at, length)
    return bytes.length === length ? new DataView(bytes.buffer, bytes.byteOffset, length) : undefined
  }
}

const pageOf = (fields: Fields, fileBytes: number): TiffPage | undefined => {
  const one = (tag: number, fallback: number): number => fields.get(tag) ?? fallback
  const packing = packings[one(259, 1)]
  const [width, height] = [one(256, 0), one(257, 0)]
  // Compressed data is only usable in one strip: further strips restart the compression.
  const [at, length] = [one(273, 0), one(279, 0)]
  if (!packing || at === 0 || length === 0 || at + length > fileBytes) return undefined
  if (width < 1 || height < 1 || width > widest || one(258, 1) !== 1) return undefined
  const perInch = one(296, 2) === centimetres ? 2.54 : 1
  return {
    width,
    height: Math.min(height, Math.floor(maxPixels / width)),
    packing,
    twoDimensional: (one(292, 0) & 1) !== 0,
    reversed: one(266, 1) === 2,
    inverted: one(262, 0) === 1,
    x: sane(one(282, 204) * perInch, 204),
    y: sane(one(283, 98) * perInch, 98),
    at,
    length,
  }
}

const sane = (dots: number, fallback: number): number => (dots >= 10 && dots <= 2_000 ? dots : fallback)
