import { createHash, randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { BlobsFailure, isSafeKey, type BlobFacts, type Blobs } from '#core/kernel/ports/files.ts'
import { elementOf, S3Wire, type S3Options, type S3Reply } from './s3-wire.ts'

export interface S3Blobs extends Blobs {
  link(key: string, seconds: number): Promise<string>
  /** Writes a file and removes it again. Throws a BlobsFailure with the reason. */
  check(): Promise<void>
  close(): Promise<void>
}

/** Maximum of a file in memory; larger files are sent in parts of this size. Stores require at least 5 MiB. */
const partBytes = 8 * 1024 * 1024

/** Files in a bucket of an S3-compatible store. */
export const s3Blobs = (options: S3Options): S3Blobs => {
  const wire = new S3Wire(options)
  const urlOf = (key: string): string => {
    if (!isSafeKey(key)) throw new Error('a file has an odd name')
    return wire.urlOf(key)
  }

  const head = async (key: string): Promise<(BlobFacts & { etag: string }) | undefined> => {
    const reply = await wire.done({ method: 'HEAD', url: urlOf(key) }, 200, 404)
    return reply.status === 404 ? undefined : { ...factsOf(reply, 'content-length'), etag: one(reply, 'etag') }
  }

  const remove = async (key: string): Promise<void> => {
    await wire.done({ method: 'DELETE', url: urlOf(key) }, 200, 204, 404)
  }

  return {
    async put(key, content, { type, changedAt }) {
      const headers = {
        'content-type': type,
        ...encryptionHeaders(options),
        ...(changedAt !== undefined && { 'x-amz-meta-changed': String(changedAt) }),
      }
      const { bytes, etag } = await putAll(wire, { key, url: urlOf(key), headers }, content)
      const there = await head(key)
      if (there?.bytes !== bytes || there.etag !== etag)
        throw new BlobsFailure('away', `The store has ${there?.bytes ?? 'nothing'} of ${bytes} bytes of a file that it has just taken.`)
      return { bytes, changedAt: there.changedAt }
    },

    async open(key, range) {
      const headers = range && { range: `bytes=${range.first}-${range.last}` }
      const reply = await wire.send({ method: 'GET', url: urlOf(key), ...(headers && { headers }) }, range ? 206 : 200, 404)
      if (reply.status !== 404)
        return { ...factsOf(reply, range ? 'content-range' : 'content-length'), content: reply.body as AsyncIterable<Uint8Array> }
      return noFile(reply, options.bucket)
    },

    size: head,
    remove,
    list: (prefix) => listed(wire, prefix),
    link: (key, seconds) => wire.link(key, seconds),

    async check() {
      await wire.ask({ method: 'GET', url: wire.urlOf('', { 'list-type': '2', 'max-keys': '1', prefix: options.prefix }) })
      const key = `check-${randomUUID()}`
      await putParts(wire, { key, url: urlOf(key), headers: encryptionHeaders(options) }, inParts([Buffer.from('Offhook')], partBytes))
      await remove(key)
    },

    close: () => wire.close(),
  }
}

interface Target {
  key: string
  url: string
  headers: Record<string, string>
}

/** Releases the source even when the store accepts no more. */
const putAll = async (wire: S3Wire, target: Target, content: AsyncIterable<Uint8Array>): Promise<{ bytes: number; etag: string }> => {
  const parts = inParts(content, partBytes)
  try {
    return await putParts(wire, target, parts)
  } finally {
    await parts.return()
  }
}

/** One part is one request; the store assembles more. */
const putParts = async (wire: S3Wire, target: Target, parts: AsyncGenerator<Uint8Array>): Promise<{ bytes: number; etag: string }> => {
  const first = await parts.next()
  const body = first.done ? new Uint8Array() : first.value
  if (body.length === partBytes) return uploadParts(wire, target, body, parts)
  const headers = { ...target.headers, 'content-md5': createHash('md5').update(body).digest('base64') }
  const reply = await wire.done({ method: 'PUT', url: target.url, headers, body }, 200)
  return { bytes: body.length, etag: one(reply, 'etag') }
}

const encryptionHeaders = ({ encryption }: S3Options): Record<string, string> => ({
  ...(encryption && { 'x-amz-server-side-encryption': encryption.algorithm }),
  ...(encryption?.algorithm === 'aws:kms' && { 'x-amz-server-side-encryption-aws-kms-key-id': encryption.keyId }),
})

type Head = Pick<S3Reply, 'headers'>

const one = ({ headers }: Head, name: string): string => String(headers[name] ?? '')

/** The size is the last number of either header: `content-range: bytes 2-4/11`. */
const factsOf = (reply: Head, sizeIn: 'content-length' | 'content-range'): BlobFacts => ({
  bytes: Number(/\d+$/.exec(one(reply, sizeIn))?.[0] ?? 0),
  changedAt: Number(one(reply, 'x-amz-meta-changed')) || Date.parse(one(reply, 'last-modified')) || 0,
})

/** A missing bucket is a different error. */
const noFile = async ({ body }: S3Reply, bucket: string): Promise<undefined> => {
  if (elementOf(await text(body), 'Code') === 'NoSuchBucket')
    throw new BlobsFailure('refused', `There is no bucket ${bucket}: make it, or correct OFFHOOK_FILES.`)
  return undefined
}

async function* listed(wire: S3Wire, prefix: string): AsyncGenerator<BlobFacts & { key: string }, void, undefined> {
  const before = wire.options.prefix
  let next: string | undefined
  do {
    const query = { 'list-type': '2', prefix: before + prefix, ...(next !== undefined && { 'continuation-token': next }) }
    const page = await wire.ask({ method: 'GET', url: wire.urlOf('', query) })
    for (const [, item = ''] of page.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
      const key = (elementOf(item, 'Key') ?? '').slice(before.length)
      const changedAt = Date.parse(elementOf(item, 'LastModified') ?? '')
      if (isSafeKey(key)) yield { key, bytes: Number(elementOf(item, 'Size')), changedAt }
    }
    next = elementOf(page, 'IsTruncated') === 'true' ? elementOf(page, 'NextContinuationToken') : undefined
  } while (next !== undefined)
}

interface Uploaded {
  bytes: number
  etag: string
}

/** A file in several parts: each is a separate request with its own retries. An incomplete upload is aborted. */
const uploadParts = async (
  wire: S3Wire,
  { key, headers }: Omit<Target, 'url'>,
  first: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
): Promise<Uploaded> => {
  const begun = await wire.ask({ method: 'POST', url: wire.urlOf(key, { uploads: '' }), headers })
  const uploadId = elementOf(begun, 'UploadId') ?? ''
  try {
    const etags: string[] = []
    let bytes = 0
    const send = async (body: Uint8Array): Promise<void> => {
      bytes += body.length
      etags.push(await putPart(wire, wire.urlOf(key, { partNumber: String(etags.length + 1), uploadId }), body))
    }
    await send(first)
    for await (const part of rest) await send(part)
    return { bytes, etag: await complete(wire, wire.urlOf(key, { uploadId }), etags) }
  } catch (error) {
    await wire.done({ method: 'DELETE', url: wire.urlOf(key, { uploadId }) }, 200, 204, 404).catch(() => {})
    throw error
  }
}

const putPart = async (wire: S3Wire, url: string, body: Uint8Array): Promise<string> => {
  const headers = { 'content-md5': createHash('md5').update(body).digest('base64') }
  const reply = await wire.done({ method: 'PUT', url, headers, body }, 200)
  return String(reply.headers['etag'] ?? '')
}

/** The answer may be an error in spite of status 200: it starts before the store has tried. */
const complete = async (wire: S3Wire, url: string, etags: readonly string[]): Promise<string> => {
  const parts = etags.map((etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`).join('')
  const body = Buffer.from(`<CompleteMultipartUpload>${parts}</CompleteMultipartUpload>`)
  const answer = await wire.ask({ method: 'POST', url, headers: { 'content-type': 'application/xml' }, body })
  const code = elementOf(answer, 'Code')
  if (code !== undefined) throw new BlobsFailure('away', `The store could not put the parts of a file together: ${code}.`)
  return elementOf(answer, 'ETag') ?? ''
}

/** Rechunks to parts of this size; only the last one is smaller. A part is valid until the next one is requested. */
export async function* inParts(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let buffer = new Uint8Array(0)
  let used = 0
  for await (const piece of content) {
    for (let at = 0; at < piece.length;) {
      if (buffer.length < size) buffer = grown(buffer, used, Math.min(size, used + piece.length - at))
      const taken = piece.subarray(at, at + size - used)
      buffer.set(taken, used)
      used += taken.length
      at += taken.length
      if (used < size) continue
      yield buffer.subarray(0, used)
      used = 0
    }
  }
  if (used > 0) yield buffer.subarray(0, used)
}

/** Small files use less memory than large ones. */
const grown = (buffer: Uint8Array<ArrayBuffer>, used: number, wanted: number): Uint8Array<ArrayBuffer> => {
  if (buffer.length >= wanted) return buffer
  const larger = new Uint8Array(Math.max(wanted, buffer.length * 2))
  larger.set(buffer.subarray(0, used))
  return larger
}
