import { createHash } from 'node:crypto'

/** One page; default A4. */
export interface PdfPage {
  content: string
  width?: number
  height?: number
  /** Resources besides the font F. */
  resources?: string
  /** Additional dictionary entries. */
  page?: string
  /** Number of the content object, instead of `content`. */
  contents?: number
}

interface More {
  catalog?: string
  trailer?: string
  /** Objects from 100 on, by number. */
  more?: Record<number, { dictionary: string; stream: Uint8Array }>
}

/** Hand-made PDF. */
export const pdfOf = (pages: readonly PdfPage[], { catalog = '', trailer = '', more = {} }: More = {}): Buffer => {
  const objects = new Map<number, Buffer>()
  const put = (id: number, dictionary: string, stream?: Uint8Array): void => {
    const head = `${id} 0 obj\n<< ${dictionary}${stream ? ` /Length ${stream.length}` : ''} >>\n`
    const body = stream ? [Buffer.from('stream\n'), stream, Buffer.from('\nendstream\n')] : []
    objects.set(id, Buffer.concat([Buffer.from(head, 'latin1'), ...body, Buffer.from('endobj\n')]))
  }
  const first = 200
  put(1, `/Type /Catalog /Pages 2 0 R ${catalog}`)
  put(3, '/Type /Font /Subtype /Type1 /BaseFont /Helvetica')
  for (const [index, { content, width = 595, height = 842, resources = '', page = '', contents }] of pages.entries()) {
    const box = `/MediaBox [0 0 ${width} ${height}] /Resources << /Font << /F 3 0 R >> ${resources} >>`
    put(first + 2 * index, `/Type /Page /Parent 2 0 R ${box} /Contents ${contents ?? first + 2 * index + 1} 0 R ${page}`)
    put(first + 2 * index + 1, '', Buffer.from(content, 'latin1'))
  }
  put(2, `/Type /Pages /Kids [${pages.map((_, index) => `${first + 2 * index} 0 R`).join(' ')}] /Count ${pages.length}`)
  for (const [id, { dictionary, stream }] of Object.entries(more)) put(Number(id), dictionary, stream)
  return assemble(objects, trailer)
}

const assemble = (objects: ReadonlyMap<number, Buffer>, trailer: string): Buffer => {
  const pieces: Uint8Array[] = [Buffer.from('%PDF-1.4\n')]
  const places = new Map<number, number>()
  let length = pieces[0]!.length
  for (const [id, bytes] of objects) {
    places.set(id, length)
    pieces.push(bytes)
    length += bytes.length
  }
  const entries = [...places].map(([id, place]) => `${id} 1\n${String(place).padStart(10, '0')} 00000 n \n`)
  const size = Math.max(...places.keys()) + 1
  pieces.push(Buffer.from(`xref\n0 1\n0000000000 65535 f \n${entries.join('')}`))
  pieces.push(Buffer.from(`trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${length}\n%%EOF\n`))
  return Buffer.concat(pieces)
}

/** Readable without a password; other permissions need one. The older encryption of the standard (RC4, 40 bits). */
export const ownerLockedPdf = (content: string): Buffer => {
  const padding = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex')
  const [owner, id, rights] = [Buffer.alloc(32, 0xab), Buffer.alloc(16, 1), Buffer.alloc(4)]
  rights.writeInt32LE(-64)
  const key = md5(padding, owner, rights, id).subarray(0, 5)
  const hex = (bytes: Uint8Array): string => `<${Buffer.from(bytes).toString('hex')}>`
  const encrypt = `/Encrypt << /Filter /Standard /V 1 /R 2 /P -64 /O ${hex(owner)} /U ${hex(rc4(key, padding))} >>`
  const number = 100
  const own = md5(key, Uint8Array.of(number, 0, 0, 0, 0)).subarray(0, 10)
  const stream = rc4(own, Buffer.from(content, 'latin1'))
  return pdfOf([{ content: '', contents: number }], {
    trailer: `/ID [${hex(id)} ${hex(id)}] ${encrypt}`,
    more: { [number]: { dictionary: '', stream } },
  })
}

const md5 = (...pieces: Uint8Array[]): Buffer => createHash('md5').update(Buffer.concat(pieces)).digest()

const rc4 = (key: Uint8Array, data: Uint8Array): Uint8Array => {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index)
  const swap = (a: number, b: number): void => void ([state[a], state[b]] = [state[b]!, state[a]!])
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + state[i]! + key[i % key.length]!) & 255
    swap(i, j)
  }
  let [i, j] = [0, 0]
  return data.map((byte) => {
    i = (i + 1) & 255
    j = (j + state[i]!) & 255
    swap(i, j)
    return byte ^ state[(state[i]! + state[j]!) & 255]!
  })
}

/** PDF with an unknown password. */
export const lockedPdf = (): Buffer => {
  const key = (byte: string): string => `<${byte.repeat(32)}>`
  const encrypt = `/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O ${key('ab')} /U ${key('cd')} >>`
  return pdfOf([{ content: '' }], { trailer: `/ID [<00> <00>] ${encrypt}` })
}

/** Pages full of text in a frame, each with its number. */
export const aPdf = (pages: number): Buffer =>
  pdfOf(
    Array.from({ length: pages }, (_, index) => {
      const line = (y: number, size: number, text: string): string => `BT /F ${size} Tf 60 ${y} Td (${text}) Tj ET\n`
      const lines = Array.from({ length: 40 }, (_each, row) =>
        line(720 - row * 16, 11, `Page ${index + 1}, line ${row + 1}: zwölf Boxkämpfer 0123456789`),
      )
      return { content: `${line(760, 28, `Page ${index + 1}`)}${lines.join('')}2 w 50 50 m 545 50 l 545 800 l 50 800 l s\n` }
    }),
  )
