import { gzip, createGzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { pipeline, Readable } from 'node:stream'

/** Characters. Compressing what fits into one packet gains nothing. */
const worthwhile = 1_400

/**
 * Compresses in the thread pool if the client accepts it: lists and metrics shrink to a tenth. Long replies are written and sent in chunks;
 * `breathe` yields to the event loop between them.
 */
export const sendJson = (request: FastifyRequest, reply: FastifyReply, answer: unknown, breathe: () => Promise<void>): void => {
  const pieces = jsonPieces(answer)
  const { value: first = '' } = pieces.next() as IteratorResult<string, undefined>
  const second = pieces.next()
  void reply.type('application/json; charset=utf-8')
  if (second.done !== true) {
    void sendPieces(request, reply, new PiecesReply(inSlices([first, second.value], pieces, breathe)))
    return
  }
  if (first.length < worthwhile || request.method === 'HEAD' || !acceptedEncodings(request).has('gzip')) return void reply.send(first)
  gzip(first, (error, packed) => {
    if (error) void reply.send(first)
    else void reply.header('content-encoding', 'gzip').send(packed)
  })
}

async function* inSlices(begun: readonly string[], rest: Iterable<string>, breathe: () => Promise<void>): AsyncGenerator<string> {
  yield* begun
  for (const piece of rest) {
    yield piece
    await breathe()
  }
}

/** `gzip, br;q=0.5, zstd;q=0` → gzip and br. */
export const acceptedEncodings = ({ headers }: FastifyRequest): Set<string> =>
  new Set(
    (headers['accept-encoding'] ?? '').split(',').flatMap((entry) => {
      const [name = '', ...parameters] = entry
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/)
      return parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) ? [] : [name]
    }),
  )

/** Reply of a handler that returns a long list as text, read while it is sent, at the client's pace. */
export class PiecesReply {
  readonly pieces: AsyncIterable<string | Uint8Array>
  /** Proposed file name of a CSV table, without `.csv`. Otherwise the operation's usual content type. */
  readonly csvName: string | undefined

  constructor(pieces: AsyncIterable<string | Uint8Array>, csvName?: string) {
    this.pieces = pieces
    this.csvName = csvName
  }
}

/** A failure before the first chunk is answered with an error; a later one breaks the connection. */
export const sendPieces = async (request: FastifyRequest, reply: FastifyReply, { pieces, csvName }: PiecesReply): Promise<void> => {
  const iterator = pieces[Symbol.asyncIterator]()
  const first = await iterator.next()
  if (csvName !== undefined) {
    void reply.headers({ 'cache-control': 'private, no-store', 'content-disposition': `attachment; filename="${csvName}.csv"` })
    void reply.type('text/csv; charset=utf-8')
  }
  if (request.method === 'HEAD') {
    await iterator.return?.()
    return void reply.send(null)
  }
  const content = Readable.from(joined(first, iterator), { objectMode: false })
  if (csvName !== undefined || !acceptedEncodings(request).has('gzip')) return void reply.send(content)
  void reply.header('content-encoding', 'gzip').send(pipeline(content, createGzip(), ignored))
}

/** The client is gone, or reading has failed: the reply ends with it. */
const ignored = (): void => {}

async function* joined<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}

/** Characters per chunk, which take less than a millisecond to write. */
const chunkLength = 64 * 1024

/** Lists up to this length are written with the rest. */
const fewElements = 20

/** Output of JSON.stringify in chunks: elements of long lists are written one by one. */
export function* jsonPieces(reply: unknown): Generator<string> {
  let piece = ''
  for (const part of hasList(reply) ? fieldsOf(reply) : [JSON.stringify(reply)]) {
    piece += part
    if (piece.length < chunkLength) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}

const hasList = (reply: unknown): reply is Record<string, unknown> => {
  if (typeof reply !== 'object' || reply === null || Array.isArray(reply)) return false
  return Object.values(reply).some((value) => Array.isArray(value) && value.length > fewElements)
}

function* fieldsOf(reply: Record<string, unknown>): Generator<string> {
  let before = '{'
  for (const [name, value] of Object.entries(reply)) {
    const key = `${before}${JSON.stringify(name)}:`
    if (Array.isArray(value)) yield* elementsOf(key, value)
    else {
      const text = JSON.stringify(value) as string | undefined
      if (text === undefined) continue
      yield key + text
    }
    before = ','
  }
  yield before === '{' ? '{}' : '}'
}

function* elementsOf(key: string, list: readonly unknown[]): Generator<string> {
  let before = `${key}[`
  for (const element of list) {
    yield before + ((JSON.stringify(element) as string | undefined) ?? 'null')
    before = ','
  }
  yield list.length === 0 ? `${before}]` : ']'
}

/** `{"items":[…]}` of elements that are read in slices. */
export async function* jsonList<T>(slices: AsyncIterable<readonly T[]>, toElement: (one: T) => object): AsyncGenerator<string> {
  let before = '{"items":['
  for await (const slice of slices) {
    if (slice.length === 0) continue
    yield before + slice.map((one) => JSON.stringify(toElement(one))).join(',')
    before = ','
  }
  yield before === ',' ? ']}' : `${before}]}`
}
