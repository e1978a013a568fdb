/** A PDF that is put together object by object. */
export class PdfWriter {
  readonly #pieces: Buffer[] = [Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n', 'latin1')]
  readonly #places: number[] = []
  #length = this.#pieces[0]!.length
  readonly #pages: number[] = []
  readonly #tree = this.#reserve()

  /** Gives its number. */
  add(dictionary: string, stream?: Uint8Array): number {
    const id = this.#reserve()
    this.#write(id, dictionary, stream)
    return id
  }

  /** Sizes in points. `resources` as in a page's dictionary. */
  page(width: number, height: number, resources: string, content: string): void {
    const stream = this.add('', Buffer.from(content, 'latin1'))
    const box = `[0 0 ${round(width)} ${round(height)}]`
    const parent = `/Parent ${this.#tree} 0 R`
    this.#pages.push(this.add(`/Type /Page ${parent} /MediaBox ${box} /Resources << ${resources} >> /Contents ${stream} 0 R`))
  }

  finish(): Uint8Array {
    const kids = this.#pages.map((id) => `${id} 0 R`).join(' ')
    this.#write(this.#tree, `/Type /Pages /Kids [${kids}] /Count ${this.#pages.length}`)
    const root = this.add(`/Type /Catalog /Pages ${this.#tree} 0 R`)
    const index = this.#length
    const lines = this.#places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`)
    const count = this.#places.length + 1
    this.#put(`xref\n0 ${count}\n0000000000 65535 f \n${lines.join('')}`)
    this.#put(`trailer\n<< /Size ${count} /Root ${root} 0 R >>\nstartxref\n${index}\n%%EOF\n`)
    return Buffer.concat(this.#pieces)
  }

  #reserve(): number {
    return this.#places.push(0)
  }

  #write(id: number, dictionary: string, stream?: Uint8Array): void {
    this.#places[id - 1] = this.#length
    const length = stream ? ` /Length ${stream.length}` : ''
    this.#put(`${id} 0 obj\n<< ${dictionary}${length} >>\n`)
    if (stream) {
      this.#put('stream\n')
      this.#put(stream)
      this.#put('\nendstream\n')
    }
    this.#put('endobj\n')
  }

  #put(piece: string | Uint8Array): void {
    const bytes = typeof piece === 'string' ? Buffer.from(piece, 'latin1') : Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    this.#pieces.push(bytes)
    this.#length += bytes.length
  }
}

export const round = (points: number): number => Math.round(points * 100) / 100
