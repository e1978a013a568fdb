import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { writeCsvRow } from '#core/kernel/csv.ts'

/** The reply of a handler that gives a list as rows. They are read while they are sent, as fast as the client takes them. */
export class CsvReply {
  /** The name that is proposed for saving, without `.csv`. */
  readonly name: string
  readonly rows: AsyncIterable<readonly string[]>

  constructor(name: string, rows: AsyncIterable<readonly string[]>) {
    this.name = name
    this.rows = rows
  }
}

export const sendCsv = ({ method }: FastifyRequest, reply: FastifyReply, { name, rows }: CsvReply): void => {
  void reply.headers({ 'cache-control': 'private, no-store', 'content-disposition': `attachment; filename="${name}.csv"` })
  void reply.type('text/csv; charset=utf-8')
  void reply.send(method === 'HEAD' ? null : Readable.from(written(rows)))
}

/** Spreadsheets take a file for UTF-8 only when it says so at its beginning. Many rows are sent at once. */
async function* written(rows: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  let piece = '\uFEFF'
  for await (const row of rows) {
    piece += writeCsvRow(row)
    if (piece.length < chunkLength) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}

const chunkLength = 64 * 1024
