import { Problem } from '@offhook/contract/problem.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { turnKey } from '../limits/admission.ts'
import type { LoopTurns } from '../limits/admission.ts'
import { large, parseJson, refuseNul, withProblems } from './parse-json.ts'
import { isAscii } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { scanJson, type JsonSpan } from '@offhook/contract/bounded-json.ts'

/**
 * JSON and forms. An empty body counts as none, whatever the content type: clients send the header out of habit. Some omit it:
 * a body without a content type is parsed as JSON, and so is obvious JSON with curl's default type.
 */
export const installBodyParsers = (app: FastifyInstance, turns: LoopTurns): void => {
  const asJson: Parse = (request, bytes) => {
    if (bytes.length >= large) return parseLargeJson(bytes, () => turns.slice(turnKey(request)))
    request.rawBody = bytes.toString()
    return parseJson(request.rawBody)
  }
  app.removeAllContentTypeParsers()
  parseWith(app, 'application/json', asJson)
  parseWith(app, formType, (request, bytes) =>
    /^\s*[{[]/.test(bytes.toString('latin1', 0, beginning)) ? asJson(request, bytes) : asForm(request, bytes),
  )
  parseWith(app, '*', (request, bytes) => {
    if (request.headers['content-type']) throw new Problem('media_type_unsupported')
    return asJson(request, bytes)
  })
}

/** For the pages and token endpoints of the identity provider. */
export const acceptOnlyForms = (scope: FastifyInstance): void => {
  scope.removeAllContentTypeParsers()
  parseWith(scope, formType, asForm)
}

const formType = 'application/x-www-form-urlencoded'
/** Bytes: larger bodies are uploads, which are JSON. */
const maxFormBytes = 64 * 1024
const beginning = 1_000

/** Synchronous or a promise. */
type Parse = (request: FastifyRequest, bytes: Buffer) => unknown

const parseWith = (app: FastifyInstance, contentType: string, parse: Parse): void => {
  app.addContentTypeParser(contentType, { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    try {
      const body = parse(request, bytes)
      if (body instanceof Promise) body.then((value: unknown) => done(null, value), done)
      else done(null, body)
    } catch (error) {
      done(error as Error, undefined)
    }
  })
}

const asForm: Parse = (_request, bytes) => {
  if (bytes.length > maxFormBytes) throw new Problem('body_too_large', `A form must have at most ${maxFormBytes} bytes; send JSON.`)
  return parseForm(bytes.toString())
}

/** Rejects a repeated field as ambiguous (RFC 6749 §3.1). */
const parseForm = (text: string): Record<string, string> => {
  const fields: Record<string, string> = Object.create(null) as Record<string, string>
  for (const [name, value] of new URLSearchParams(text)) {
    if (name in fields) throw Problem.field(name, 'is given more than once')
    if (value.includes('\0')) throw Problem.field(name, 'contains a NUL character')
    fields[name] = value
  }
  return { ...fields }
}

/** Limits of a body without its long strings; scenarios are the longest. */
const limits = { maxValues: 100_000, maxLength: 2 * 1024 * 1024, maxEscapes: Infinity }
const chunkBytes = 256 * 1024
const plainPieceBytes = 1024 * 1024
/** Non-ASCII strings take twice the memory; uploads are Base64. */
const maxWideBytes = 8 * 1024 * 1024
const backslash = 0x5c

/**
 * A large body is an upload: one very long string with little around it. Such strings are decoded in chunks and inserted into the parsed rest.
 * The event loop runs between all steps, and none takes longer than a few milliseconds.
 */
export const parseLargeJson = async (bytes: Buffer, breathe: () => Promise<void>): Promise<unknown> => {
  await breathe()
  // JSON syntax is ASCII, and no byte of a multi-byte character equals an ASCII one.
  const text = bytes.toString('latin1')
  await breathe()
  const strings = await scanned(text, breathe)
  if (strings.length === 0) return parseJson(bytes.toString(), limits)
  const mark = randomUUID()
  const stand = new Map<string, string>()
  const rest: Buffer[] = []
  for (const [index, span] of strings.entries()) {
    stand.set(`${mark}-${index}`, await stringAt({ bytes, text, breathe }, span))
    rest.push(bytes.subarray(strings[index - 1]?.to ?? 0, span.from), Buffer.from(`${mark}-${index}`))
  }
  rest.push(bytes.subarray(strings.at(-1)?.to))
  return putBack(parseJson(Buffer.concat(rest).toString(), limits), stand)
}

const scanned = async (text: string, breathe: () => Promise<void>): Promise<JsonSpan[]> => {
  const scan = scanJson(text, { ...limits, longString: large })
  for (;;) {
    const step = withProblems(() => scan.next())
    await breathe()
    if (step.done === true) return step.value
  }
}

interface Body {
  bytes: Buffer
  /** One character per byte. */
  text: string
  /** Resolves in a later turn of the event loop. */
  breathe: () => Promise<void>
}

const stringAt = async (body: Body, span: JsonSpan): Promise<string> =>
  (await isPlain(body, span)) ? body.text.slice(span.from, span.to) : joined(body.bytes.subarray(span.from, span.to), body.breathe)

/** Whether the string contains only ASCII without escapes. */
const isPlain = async ({ bytes, text, breathe }: Body, { from, to }: JsonSpan): Promise<boolean> => {
  for (let at = from; at < to; at += plainPieceBytes) {
    const end = Math.min(at + plainPieceBytes, to)
    const piece = bytes.subarray(at, end)
    // oxlint-disable-next-line no-control-regex -- JSON does not allow them in strings
    if (!isAscii(piece) || piece.includes(backslash) || /[\0-\x1f]/.test(text.slice(at, end))) return false
    await breathe()
  }
  return true
}

const joined = async (written: Buffer, breathe: () => Promise<void>): Promise<string> => {
  if (written.length > maxWideBytes && !isAscii(written))
    throw new Problem('parameter_invalid', `A string of more than ${maxWideBytes} bytes must be Base64.`)
  await breathe()
  const pieces: string[] = []
  for (let at = 0; at < written.length;) {
    const end = pieceEnd(written, at)
    const piece = withProblems(() => JSON.parse(`"${written.toString('utf8', at, end)}"`) as string)
    refuseNul(piece)
    pieces.push(piece)
    at = end
    await breathe()
  }
  return pieces.join('')
}

/** Not within a multi-byte character or an escape, of which `\u0000` is the longest. */
const pieceEnd = (written: Buffer, from: number): number => {
  let end = from + chunkBytes
  if (end >= written.length) return written.length
  while (((written[end] ?? 0) & 0xc0) === 0x80) end--
  for (let at = end - 1; at >= end - 5; at--) {
    if (written[at] !== backslash || !isEscape(written, from, at)) continue
    const length = written[at + 1] === 'u'.charCodeAt(0) ? 6 : 2
    return at + length > end ? at : end
  }
  return end
}

/** Whether this backslash starts an escape, and is not the second one of `\\`. */
const isEscape = (written: Buffer, from: number, at: number): boolean => {
  let before = at
  while (before > from && written[before - 1] === backslash) before--
  return (at - before) % 2 === 0
}

const putBack = (value: unknown, stand: ReadonlyMap<string, string>): unknown => {
  if (typeof value === 'string') return stand.get(value) ?? value
  if (Array.isArray(value)) return value.map((one) => putBack(one, stand))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [stand.get(name) ?? name, putBack(one, stand)]))
}
