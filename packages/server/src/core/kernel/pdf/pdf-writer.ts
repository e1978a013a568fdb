/** File content in chunks. */
export type Pieces<Result = void> = AsyncGenerator<Uint8Array, Result, undefined>

interface Stream {
  length: number
  pieces: AsyncIterable<Uint8Array>
}

/** Streams a PDF object by object, never holding it in memory as a whole. */
export class PdfWriter {
  readonly #places: number[] = []
  #length = 0
  readonly #pages: number[] = []
  readonly #tree = this.#reserve()

  async *begin(): Pieces {
    yield this.#put('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n')
  }

  /** Returns the object number. */
  async *add(dictionary: string, stream?: Stream): Pieces<number> {
    const id = this.#reserve()
    yield* this.#write(id, dictionary, stream)
    return id
  }

  /** Sizes in points. `resources` as in a page's dictionary. */
  async *page(width: number, height: number, resources: string, content: string): Pieces {
    const bytes = Buffer.from(content, 'latin1')
    const stream = yield* this.add('', { length: bytes.length, pieces: only(bytes) })
    const box = `[0 0 ${round(width)} ${round(height)}]`
    const parent = `/Parent ${this.#tree} 0 R`
    this.#pages.push(yield* this.add(`/Type /Page ${parent} /MediaBox ${box} /Resources << ${resources} >> /Contents ${stream} 0 R`))
  }

  async *finish(): Pieces {
    const kids = this.#pages.map((id) => `${id} 0 R`).join(' ')
    yield* this.#write(this.#tree, `/Type /Pages /Kids [${kids}] /Count ${this.#pages.length}`)
    const root = yield* this.add(`/Type /Catalog /Pages ${this.#tree} 0 R`)
    const index = this.#length
    const lines = this.#places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`)
    const count = this.#places.length + 1
    yield this.#put(`xref\n0 ${count}\n0000000000 65535 f \n${lines.join('')}`)
    yield this.#put(`trailer\n<< /Size ${count} /Root ${root} 0 R >>\nstartxref\n${index}\n%%EOF\n`)
  }

  #reserve(): number {
    return this.#places.push(0)
  }

  async *#write(id: number, dictionary: string, stream?: Stream): Pieces {
    this.#places[id - 1] = this.#length
    const head = `${id} 0 obj\n<< ${dictionary}`
    if (!stream) yield this.#put(`${head} >>\n`)
    else {
      yield this.#put(`${head} /Length ${stream.length} >>\nstream\n`)
      for await (const piece of stream.pieces) {
        this.#length += piece.length
        yield piece
      }
      yield this.#put('\nendstream\n')
    }
    yield this.#put('endobj\n')
  }

  #put(text: string): Uint8Array {
    this.#length += text.length
    return Buffer.from(text, 'latin1')
  }
}

async function* only(bytes: Uint8Array): Pieces {
  yield bytes
}

export const round = (points: number): number => Math.round(points * 100) / 100
